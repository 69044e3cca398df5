extension Line {
  @_alwaysEmitIntoClient package final var reports: Bool { reporter != nil }

  @usableFromInline
  package final func report(_ kind: TaskEvent.Kind, _ job: Job) {
    if reports { report(kind, of: job, job.name, job.place) }
  }

  @usableFromInline @inline(never)
  package final func report(
    _ kind: TaskEvent.Kind, of job: Job, _ name: String?, _ place: Place?, by caller: Waiter? = nil
  ) {
    guard reports else { return }
    let start = locked { _ in (caller ?? job).start }
    // A job that is its own caller has none that share it.
    let operation = caller.flatMap { $0 === job ? nil : job.name }
    report(kind, keys: keys(of: job), name, place, of: operation, isShared: job.hasSharers, waitingSince: start)
  }

  @usableFromInline
  package final func report(
    _ kind: TaskEvent.Kind, keys: @autoclosure () -> (any KeyNames)? = nil, _ job: String?, _ place: Place?
  ) {
    if reports { report(kind, keys: keys(), job, place, waitingSince: WaitStart()) }
  }

  @usableFromInline @inline(never)
  final func reportEnd(of caller: CallerJob?, _ thrown: (any Error)?, _ name: String?, _ place: Place) {
    reportEnd(thrown, keys: caller.flatMap { keys(of: $0) }, name, place)
  }

  @usableFromInline
  final func reportEnd(_ thrown: (any Error)?, keys: (any KeyNames)?, _ name: String?, _ place: Place) {
    report(thrown.map { .failed($0) } ?? .finished, keys: keys, name, place)
  }

  @inline(never)
  final func report(
    _ kind: TaskEvent.Kind, keys: (any KeyNames)?, _ job: String?, _ place: Place?, of operation: String? = nil,
    isShared: Bool = false, waitingSince start: WaitStart
  ) {
    guard let reporter,
      let due = reporter.report(
        kind, executor: label, keys: keys, job, place, of: operation, isShared: isShared, waitingSince: start)
    else { return }
    reporter.sleepUntilTurnsAreTooLong(due) { [weak self, unowned reporter] goesOn in
      guard let self else { return nil }
      return reporter.reportOverdue(goesOn: goesOn) { places in
        self.locked { ($0.waiting, $0.callersStarted(inTurnsAt: places)) }
      }
    }
  }

  final func reportWaiting(_ job: Job, reportedAs name: String?, ahead: Int, isOnHold: Bool = false) {
    guard let reporter else { return }
    let now = job.start.moment ?? clock.now
    if !job.start.isMoment { locked { _ in job.start = WaitStart(at: now) } }
    reporter.reportWaiting(
      executor: label, keys: keys(of: job), name, job.place, at: now, ahead: ahead, isOnHold: isOnHold,
      isShared: job.hasSharers)
  }

  final func keys(of job: Job) -> (any KeyNames)? { job.touchesEveryKey ? nil : job }
}

extension Line: WaitSource {
  package final func holdings() -> Holdings {
    Holdings(kind: type, clock: clock, holdings: reporter?.dated(held) ?? held)
  }

  private final var held: [Holding] {
    let label = label
    return locked { $0.holdings(label: label) }
  }
}

extension Line {
  final func stake(ofJob job: Job?) -> Stake? {
    guard let job else { return nil }
    if job.touchesEveryKey { return stake(nil, kind: job.kind) }
    var keys: [Stake.Key] = []
    job.forEachKey { if let key = $1.stakeKey { keys.append(key) } }
    return stake(keys, kind: job.kind)
  }

  /// Gets `nil` for all keys.
  @usableFromInline
  package final func stake(_ keys: [Stake.Key]?, kind: Job.Kind) -> Stake {
    var stake = Stake(of: self, label: label, mode: kind.contains(.read) ? .shared : .alone)
    stake.keys = keys
    stake.slots = kind.contains(.slot) ? locked { $0.slots?.count } : nil
    stake.goesFirst = kind.contains(.nested)
    return stake
  }

  @usableFromInline
  package final func stake(of job: Job) -> Stake? { stake(ofJob: job) }
}
