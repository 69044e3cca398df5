// What a line reports, and how long its jobs have waited and run.

extension Line {
  @inlinable package final var reports: Bool { onEvent != nil }

  @usableFromInline
  package final func report(_ kind: TaskEvent.Kind, _ waiter: Waiter) {
    if onEvent != nil { report(kind, of: waiter, waiter.name, waiter.place) }
  }

  /// Reports what happened to the job of the waiter, or to a caller of that job, which then has waited by itself.
  @usableFromInline
  package final func report(
    _ kind: TaskEvent.Kind, of waiter: Waiter, _ job: String?, _ place: Place?, by caller: Waiter? = nil
  ) {
    guard onEvent != nil else { return }
    let start = read { (caller ?? waiter).start }
    report(kind, keys: keys(of: waiter), job, place, waitingSince: start)
  }

  /// Reports what happened to a job that did not have to wait.
  @usableFromInline
  package final func report(
    _ kind: TaskEvent.Kind, keys: @autoclosure () -> (any KeyNames)? = nil, _ job: String?, _ place: Place?
  ) {
    if onEvent != nil { report(kind, keys: keys(), job, place, waitingSince: WaitStart()) }
  }

  private final func report(
    _ kind: TaskEvent.Kind, keys: (any KeyNames)?, _ job: String?, _ place: Place?, waitingSince start: WaitStart
  ) {
    guard let due = reporter.report(kind, executor: label, keys: keys, job, place, waitingSince: start) else { return }
    reporter.sleepUntilTurnsAreTooLong(due) { [weak self] goesOn in
      guard let self else { return nil }
      return reporter.reportOverdue(goesOn: goesOn) { self.decideWaiting(behind: $0) }
    }
  }

  /// The waiter has a place, and waits: reads the clock, once, and reports it.
  final func beginWait(_ waiter: Waiter, reportedAs name: String?) {
    let now = limits.clock.now
    let (ahead, isDraft) = decideWaitStart(of: waiter, at: WaitStart(at: now))
    if onEvent != nil {
      reporter.reportWaiting(
        executor: label, keys: keys(of: waiter), name, waiter.place, at: now, ahead: ahead, isDraft: isDraft)
    }
  }
}

// MARK: - Who waits for whom

extension Line: WaitSource {
  final func holdings() -> Holdings {
    let kind = WaitReport.Executor.Kind(rawValue: "\(type)") ?? .serialTaskExecutor
    return Holdings(kind: kind, clock: clock, holdings: reporter.dated(collect()))
  }
}
