import SerialTasks

// MARK: - Lifecycle, as seen from outside

extension Ledger {
  func pause() {
    world.note("line", "is paused")
    executor.pause()
    isPaused = true
  }

  func resume() {
    world.note("line", "is resumed")
    isPaused = false
    executor.resume()
  }

  func close() {
    world.note("line", "is closed")
    executor.close()
    isClosed = true
  }

  func cancelAll() {
    world.note("line", "is cleared")
    let begun = forbidAll()
    executor.cancelAll()
    for name in begun { tellToStop(name) }
  }

  /// Nothing that has not begun may begin any more.
  ///
  /// - Returns: The submitted jobs that run, to be asked to stop.
  func forbidAll() -> [String] {
    for job in entries.indices { forbid(job) }
    return entries.filter { $0.begins == 1 && !$0.hasEnded && $0.isSubmitted }.map(\.name)
  }

  /// A task that cancels a submitted job says so here afterwards.
  func tellToStop(_ name: String) {
    if let job = entries.firstIndex(where: { $0.name == name }) { entries[job].isToldToStop = true }
  }

  /// From now on the job must not begin, if it has not.
  func forbid(_ job: Int) { if entries[job].begins == 0 { entries[job].mustNotBegin = true } }

  func forbid(_ name: String) { if let job = entries.firstIndex(where: { $0.name == name }) { forbid(job) } }

  /// Drains, and checks that nothing is left of what was asked for before.
  func drain(_ name: String) async {
    let asked = entries.count
    let wasClosed = isClosed
    world.note(name, "drains")
    do { try await executor.drain() } catch {
      world.note(name, "leaves the drain")
      world.expect(error is CancellationError && Task.isCancelled, "drain throws only when its caller is cancelled")
      return
    }
    world.note(name, "has drained")
    checkDrained(asked)
    if wasClosed { isOver = true }
  }

  /// A drain has ended that began when so many jobs had been asked for.
  func checkDrained(_ asked: Int) {
    for entry in entries[..<asked] {
      // A caller that left reports it itself, when it goes on.
      let isAway = entry.ends == 1 || (!entry.isSubmitted && entry.mustNotBegin && entry.begins == 0)
      world.expect(isAway, "drained means that nothing waits or runs", "\(entry.name) does")
      let isTold = entry.outcome != nil || !entry.hasHandle
      world.expect(isTold, "drain() waits until all rejections have been reported", entry.name)
    }
  }

  /// What must be true when every task has ended.
  func check() {
    for entry in entries {
      world.expect(entry.outcome != nil, "each call is answered", entry.name)
      let ran = entry.runs == 1 && entry.begins == 1 && entry.hasEnded
      if case .rejected = entry.outcome {
        world.expect(entry.runs == 0, "a rejected job never ran", entry.name)
      } else {
        world.expect(ran, "each job runs once or is rejected once", entry.name)
      }
      world.expect(entry.ends == 1, "each job is reported to its end", entry.name)
    }
    let snapshot = line.snapshot
    world.expect(
      snapshot.waiting == 0 && !snapshot.isRunning, "nothing is lost: the line is free in the end", "\(snapshot)")
  }
}
