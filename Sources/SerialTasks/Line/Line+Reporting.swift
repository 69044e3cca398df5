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

  /// Reports the end of a job; `keys` are those of a caller without a place.
  @usableFromInline @inline(never)
  final func reportEnd(
    of caller: CallerJob?, _ thrown: (any Error)?, keys: (any KeyNames)? = nil, _ name: String?, _ place: Place
  ) {
    report(thrown.map { .failed($0) } ?? .finished, keys: caller.map { self.keys(of: $0) } ?? keys, name, place)
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

  package final func reportWaiting(_ job: Job, reportedAs name: String?, ahead: Int, isOnHold: Bool = false) {
    guard let reporter else { return }
    let now = job.start.moment ?? clock.now
    if !job.start.isMoment { locked { _ in job.start = WaitStart(at: now) } }
    reporter.report(
      isOnHold ? .drafted : .waiting, executor: label, keys: keys(of: job), name, job.place, isShared: job.hasSharers,
      at: now, ahead: ahead)
  }

  final func keys(of job: Job) -> (any KeyNames)? { job.touchesEveryKey ? nil : job }
}

extension Line: WaitSource {
  package final func holdings() -> Holdings {
    let label = label
    let held = locked { $0.holdings(label: label) }
    return Holdings(kind: type, clock: clock, holdings: reporter?.dated(held) ?? held)
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
  @usableFromInline @inline(never)
  package final func stake(_ keys: [Stake.Key]?, kind: Job.Kind) -> Stake {
    var stake = Stake(ObjectIdentifier(self), label: label, keys: keys, mode: kind.contains(.read) ? .shared : .alone)
    stake.slots = kind.contains(.slot) ? locked { $0.slots?.count } : nil
    stake.goesFirst = kind.contains(.nested)
    return stake
  }

  @usableFromInline
  package final func stake(of job: Job) -> Stake? { stake(ofJob: job) }
}
