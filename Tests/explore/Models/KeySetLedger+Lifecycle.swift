import SerialTasks

// MARK: - Looking while everybody rests

extension KeySetLedger {
  /// Comes back when no other task can go on: by then each job has begun that nothing is in the way of.
  func rest() async {
    await world.sleep(1)
    let running = entries.count(where: \.isRunning)
    for (index, entry) in entries.enumerated() where entry.isWaiting {
      let isBlocked = entries[..<index].contains { ($0.isRunning || $0.isWaiting) && $0.conflicts(with: entry) }
      entries[index].wasReady = !isBlocked
      if isBlocked || isPaused { continue }
      let promise = slots == nil ? "jobs that do not conflict never wait for each other" : "a free slot is used"
      world.expect(running >= slots ?? .max, promise, "\(entry.name) waits, and \(running) run")
      world.meet("a wait for a slot")
    }
  }
}

// MARK: - Lifecycle, as seen from outside

extension KeySetLedger {
  func pause() {
    world.note("all keys", "are paused")
    executor.pause()
    isPaused = true
  }

  func resume() {
    world.note("all keys", "are resumed")
    isPaused = false
    executor.resume()
  }

  func close() {
    world.note("all keys", "are closed")
    executor.close()
    isClosed = true
  }

  /// From now on the job must not begin, if it has not.
  func forbid(_ job: Int) { if entries[job].begins == 0 { entries[job].mustNotBegin = true } }

  func forbid(_ name: String) { if let job = entries.firstIndex(where: { $0.name == name }) { forbid(job) } }

  func tellToStop(_ name: String) {
    if let job = entries.firstIndex(where: { $0.name == name }) { entries[job].isToldToStop = true }
  }

  private func touching(_ key: String?) -> [Int] {
    entries.indices.filter { job in key.map(entries[job].keys.contains) ?? true }
  }

  /// Clears the key, or all of them.
  func cancelAll(_ key: String? = nil) {
    world.note(key ?? "all keys", "is cleared")
    let cleared = touching(key)
    for job in cleared { forbid(job) }
    let begun = cleared.filter { entries[$0].isRunning && entries[$0].isSubmitted }
    if let key { executor.cancelAll(for: key) } else { executor.cancelAll() }
    for job in begun { entries[job].isToldToStop = true }
  }

  /// Drains the key, or all of them, and checks that nothing is left of what was asked for before.
  func drain(_ name: String, _ key: String? = nil) async {
    let (asked, wasClosed) = (touching(key), isClosed)
    world.note(name, "drains", key ?? "all keys")
    do {
      if let key { try await executor.drain(for: key) } else { try await executor.drain() }
    } catch {
      world.note(name, "leaves the drain")
      world.expect(error is CancellationError && Task.isCancelled, "drain throws only when its caller is cancelled")
      return
    }
    world.note(name, "has drained")
    for entry in asked.map({ entries[$0] }) {
      // A caller that left reports it itself, when it goes on.
      let isAway = entry.ends == 1 || (!entry.isSubmitted && entry.mustNotBegin && entry.begins == 0)
      world.expect(isAway, "drained means that nothing waits or runs", "\(entry.name) does")
      let isTold = entry.outcome != nil || !entry.hasHandle
      world.expect(isTold, "who drains waits for those who are being told", entry.name)
    }
    if wasClosed { over.append(key) }
  }

  /// What must be true when every task has ended.
  func check() {
    for entry in entries {
      world.expect(entry.outcome != nil, "each call is answered", entry.name)
      let isRejected = if case .rejected = entry.outcome { true } else { false }
      world.expect(entry.runs == (isRejected ? 0 : 1), "each job runs once or is rejected once", entry.name)
      world.expect(entry.ends == 1, "each job is reported to its end", entry.name)
    }
    let snapshot = executor.snapshot
    let isFree = snapshot.waiting == 0 && snapshot.running == 0
    world.expect(isFree, "nothing is lost: the line is free in the end", "\(snapshot)")
    world.expect(executor.size.busy == 0, "an idle key costs nothing", "\(executor.size.busy) keys have a queue")
  }
}
