import SerialTasks

// MARK: - What the executor reports

extension Ledger {
  /// The job that the event is about: the last of that name, as names are given once.
  func report(_ event: TaskEvent) {
    guard let job = entries.lastIndex(where: { $0.name == event.job }) else { return }
    switch event.kind {
    case .waiting:
      world.note(entries[job].name, "waits")
      entries[job].isWaiting = true
      checkCapacity(job)
    case .began: begins(job)
    case .joined, .served, .heldTooLong, .stalled, .replaced, .left:
      world.expect(false, "a line has no flights", entries[job].name)
    case .finished, .failed: ends(job, ran: true)
    case .rejected(let why):
      if case .full = why { checkFull(job) }
      ends(job, ran: false)
    }
    world.point()
  }

  private func begins(_ job: Int) {
    let name = entries[job].name
    world.note(name, "begins")
    entries[job].begins += 1
    entries[job].isWaiting = false
    world.expect(running == nil, "one at a time: no job begins while another runs", name)
    world.expect(job > lastBegun, "first in, first out by place", "\(name) begins after one that came later")
    world.expect(!entries[job].mustNotBegin, "cancelled before it began means never ran", name)
    world.expect(!isPaused, "while it is paused no job begins", name)
    world.expect(!isOver, "after log-out nothing lands", name)
    lastBegun = job
  }

  private func ends(_ job: Int, ran: Bool) {
    entries[job].isWaiting = false
    entries[job].ends += 1
    world.expect(entries[job].ends == 1, "each job is reported to one end", entries[job].name)
    world.expect(
      (entries[job].begins == 1) == ran, "finished or failed if it began, rejected if not", entries[job].name)
    if ran { world.expect(lastBegun == job, "the end is reported before the next job begins", entries[job].name) }
  }

  /// Unless a job runs, one of those who wait may have been granted the turn; and where the line was paused, one that had
  /// been granted the turn may wait again.
  private func checkCapacity(_ job: Int) {
    guard let capacity = line.snapshot.capacity else { return }
    // A rejected job waits no longer, though that may not have been reported yet.
    let waiting = entries.count { $0.isWaiting && !$0.mustNotBegin }
    let most = running == nil ? capacity + 1 : capacity
    world.expect(waiting <= most, "no more wait than the capacity", "\(waiting) wait, \(entries[job].name) the last")
  }

  private func checkFull(_ job: Int) {
    guard let capacity = line.snapshot.capacity else { return }
    let others = entries.indices.count { $0 != job && entries[$0].begins == 0 && entries[$0].ends == 0 }
    world.expect(others >= capacity, "no job is rejected while there is room", "\(others) wait")
  }
}
