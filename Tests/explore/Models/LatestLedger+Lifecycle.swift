import SerialTasks

// MARK: - Lifecycle, as seen from outside

extension LatestLedger {
  /// Comes back when no other task can go on: by then each job has begun that nothing is in the way of.
  func rest() async {
    await world.sleep(1)
    for entry in entries where entry.isWaiting && !isPaused {
      let isBlocked = entries.contains {
        $0.place < entry.place && ($0.isRunning || $0.isWaiting) && $0.conflicts(with: entry)
      }
      world.expect(isBlocked, "a write waits only for those before its place", entry.name)
    }
  }

  func pause() {
    world.note("all", "is paused")
    executor.pause()
    isPaused = true
  }

  func resume() {
    world.note("all", "is resumed")
    isPaused = false
    executor.resume()
  }

  func close() {
    world.note("all", "is closed")
    executor.close()
    isClosed = true
  }

  func forbid(_ job: Int) { if entries[job].begins == 0 { entries[job].mustNotBegin = true } }

  func forbid(_ name: String) { if let job = entries.firstIndex(where: { $0.name == name }) { forbid(job) } }

  func cancelAll() {
    world.note("all", "is cleared")
    for job in entries.indices where entries[job].replacement == nil { forbid(job) }
    executor.cancelAll()
  }

  func drain(_ name: String) async {
    let asked = entries.indices
    world.note(name, "drains")
    do { try await executor.drain() } catch {
      return world.expect(Task.isCancelled, "drain throws only when cancelled")
    }
    world.note(name, "has drained")
    for job in asked where entries[job].ends == 0 {
      let isAway = entries[job].mustNotBegin && entries[job].begins == 0
      world.expect(isAway, "drained means that nothing waits or runs", entries[job].name)
    }
  }

  /// What must be true when every task has ended.
  func check() {
    for (job, entry) in entries.enumerated() {
      world.expect(entry.outcome != nil, "each call is answered", entry.name)
      world.expect(
        entry.outcome == entries[last(job)].outcome, "every handle has the outcome of the newest", entry.name)
      world.expect(entry.awaited ?? entry.outcome == entry.outcome, "all who wait get the job's result", entry.name)
      let isRejected = if case .rejected = entry.outcome { true } else { false }
      let runs = isRejected || entry.replacement != nil ? 0 : 1
      world.expect(entry.runs == runs, "exactly one of those that replace each other runs", entry.name)
      world.expect(entry.ends == 1, "each job is reported to its end", entry.name)
    }
    let snapshot = executor.snapshot
    let isFree = snapshot.waiting == 0 && !snapshot.isWriting
    world.expect(isFree, "nothing is lost: the line is free in the end", "\(snapshot)")
  }
}
