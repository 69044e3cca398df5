/// Creates events with their times, and passes them to the executor's handler.
///
/// With a limit on turns and no handler, it only notes when each turn begins, for a ``WaitReport``.
@usableFromInline
package final class Reporter: Sendable {
  let clock: AnyClock
  private let onEvent: (@Sendable (TaskEvent) -> Void)?
  private let turnLimit: Duration?
  private let times: Lock<EventTimes>
  /// Whether each job with a place is a shared operation.
  private let sharesAll: Bool
  private let watch = Lock<Task<Void, Never>?>(nil)

  @inline(never) package init?(
    clock: AnyClock, turnLimit: Duration? = nil, sharesAll: Bool = true, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    Duration.check("reportsTurnsLongerThan", turnLimit)
    if onEvent == nil, turnLimit == nil { return nil }
    (self.clock, self.onEvent, self.sharesAll) = (clock, onEvent, sharesAll)
    self.turnLimit = turnLimit?.bounded
    // Without a handler, no task sleeps until a turn is too long.
    times = Lock(EventTimes(limit: onEvent == nil ? nil : turnLimit?.bounded))
  }

  var limitsTurns: Bool { turnLimit != nil && onEvent != nil }

  deinit { watch.withLock { $0 }?.cancel() }

  /// Reports the event; returns when to check the turn that has begun, if there is a limit.
  ///
  /// `operation` is what a caller joined or left; `isShared` is `nil` where it is the same for all jobs. A wait has begun
  /// at a moment, with a number of jobs ahead.
  @discardableResult
  package func report(
    _ kind: TaskEvent.Kind, executor: String, keys: (any KeyNames)? = nil, _ job: String?, _ place: UInt64?,
    of operation: String? = nil, isShared: Bool? = nil, waitingSince start: WaitStart = WaitStart(),
    at moment: Duration? = nil, ahead: Int? = nil
  ) -> Duration? {
    let now = moment ?? clock.now
    var (waited, ran): (Duration?, Duration?) = (nil, nil)
    var due: Duration?
    switch kind {
    case .began:
      let wait = start.elapsed(at: now) ?? .zero
      waited = wait
      if let place {
        due = times.withLock { $0.begin(place, executor: executor, keys: keys, job: job, at: now, waited: wait) }
      }
    case .finished, .failed:
      if let turn = place.flatMap({ place in times.withLock { $0.end(place) } }) {
        (waited, ran) = (turn.waited, max(.zero, now - turn.began))
      }
    case .rejected, .replaced, .left: waited = start.elapsed(at: now) ?? .zero
    case .waiting, .drafted, .joined, .served, .heldTooLong: break
    }
    onEvent?(
      TaskEvent(
        kind: kind, executor: executor, keyNames: keys, job: job, operation: operation,
        isShared: isShared ?? (sharesAll && place != nil), place: place, instant: clock.instant(now),
        waited: waited, ran: ran, ahead: ahead))
    return due
  }

  package func dated(_ holdings: [Holding]) -> [Holding] {
    var holdings = holdings
    for index in holdings.indices {
      let turn = holdings[index].place.flatMap { place in times.withLock { $0.turn(at: place) } }
      if let turn { (holdings[index].since, holdings[index].limit) = (WaitStart(at: turn.began), turnLimit) }
    }
    return holdings
  }
}

extension Reporter {
  /// Calls the closure whenever turns are too long, until none runs; it returns `nil` if the executor is gone.
  func sleepUntilTurnsAreTooLong(_ due: Duration, _ report: @escaping @Sendable (_ goesOn: Bool) -> Duration?) {
    let task = Task.detached(priority: .utility) { [clock] in
      var next: Duration? = due
      while let due = next {
        let goesOn = await clock.hasSlept(until: due)
        next = report(goesOn)
      }
    }
    // The previous task has ended, and is released after the unlock.
    _ = watch.withLock { watch -> Task<Void, Never>? in
      defer { watch = task }
      return watch
    }
  }

  /// Reports the turns that are too long, each once; returns when to check again.
  ///
  /// `look` is called once; it returns the number of waiters and, for turns at these places, a caller started in each.
  func reportOverdue(
    goesOn: Bool, look: ([UInt64]) -> (waiting: Int, started: [(place: UInt64, caller: String)])
  ) -> Duration? {
    let now = clock.now
    let (overdue, next) = times.withLock { $0.takeOverdue(at: now, goesOn: goesOn) }
    if overdue.isEmpty { return next }
    let (waiting, started) = look(overdue.map(\.place))
    for turn in overdue {
      let caller = started.first { $0.place == turn.place }?.caller
      onEvent?(
        TaskEvent(
          kind: .heldTooLong(waiting: waiting, startedInTurn: caller), executor: turn.executor,
          keyNames: turn.keys, job: turn.job, place: turn.place, instant: clock.instant(now),
          waited: turn.waited, ran: now - turn.began))
    }
    return next
  }
}
