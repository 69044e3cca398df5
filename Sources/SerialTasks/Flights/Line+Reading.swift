// What does not depend on types and keys: compiled once.

extension Line {
  @usableFromInline
  package final func carryOut(joined flight: ReadFlight, _ caller: Waiter, _ effects: Effects) {
    effects.carryOut(on: self)
    report(.joined, of: flight.read, caller.name, flight.read.place, by: caller)
  }

  @usableFromInline
  package final func receive(_ arrival: Arrival, of flight: ReadFlight, _ caller: Waiter, _ effects: Effects) {
    effects.carryOut(on: self)
    guard case .waiting(let ahead) = arrival else { return }
    reportWaiting(flight.read, reportedAs: caller.name, ahead: ahead)
    tellObservers()
  }

  /// Returns `nil` if the read has to wait for its turn.
  ///
  /// Not inlined: see ``Lock``.
  @usableFromInline @inline(never)
  package final func begins(_ flight: ReadFlight) -> Bool? {
    let task = TaskReference.running
    return switch locked({ flight.begin(in: task, &$0) }) {
    case .run: true
    case .gone: false
    case nil: nil
    }
  }

  @usableFromInline
  package nonisolated(nonsending) final func begin(_ flight: ReadFlight) async -> Bool {
    await Suspension.park { self.park(flight.read, $0) }
    return begins(flight)!
  }

  @usableFromInline
  package final func land(_ flight: ReadFlight) {
    let (effects, submissions) = locked { flight.land(&$0) }
    effects.carryOut(on: self)
    if submissions.isEmpty { return }
    // In the turn: handlers are called before the next job begins and before `drain()` returns.
    submissions.forEach { $0.settleWithRead() }
    _ = end(flight.read)
  }

  /// Reports that a caller left, and if it was the last, that the read never begins.
  @usableFromInline
  package final func reportLeaving(of flight: ReadFlight, _ caller: Waiter, _ why: JobRejection) {
    guard reports else { return }
    report(.left(why), of: flight.read, caller.name, flight.read.place, by: caller)
    if caller.endsJob { report(.rejected(why), of: flight.read, flight.name, flight.read.place) }
  }

  /// Starts the limit of a caller whose read has not begun; a granted read begins without delay.
  ///
  /// A limit of zero is enforced where the read is boarded, and by ``begin(_:)``.
  @usableFromInline
  package final func limit(_ flight: ReadFlight, _ caller: FlightCaller<ReadFlight>, to limit: Duration) {
    guard locked({ _ in flight.phase == .boarding && (flight.read.isWaiting || limit > .zero) }) else { return }
    caller.begin(limits.start(limit) { self.leave(caller, .late) })
  }

  @usableFromInline
  package final func blockers(of flight: ReadFlight, _ caller: Waiter) -> Blockers {
    locked { flight.blockers(of: caller, &$0) }
  }

  @usableFromInline
  package final func leave(_ caller: FlightCaller<ReadFlight>, _ why: JobRejection) {
    let (effects, unwanted) = locked { table -> (Effects, Effects) in
      guard let flight = caller.flight else {
        caller.state = .rejected(why)
        return (Effects(), Effects())
      }
      guard case .left(var effects, let task) = flight.leave(caller, why, &table) else { return (Effects(), Effects()) }
      effects.resume(caller)
      var unwanted = Effects()
      unwanted.cancel(task, later: flight.isDeep)
      return (effects, unwanted)
    }
    unwanted.carryOut()
    effects.carryOut(on: self)
  }

  /// Cancels a submitted read, whose handle is then settled, unless it gets the result.
  @usableFromInline
  package final func cancel(_ submission: Submission, of flight: ReadFlight) {
    let departure = locked { flight.leave(submission, .cancelled, &$0) }
    guard case .left(let effects, let unwanted) = departure else { return }
    reportLeaving(of: flight, submission, .cancelled)
    submission.settle(rejected: .cancelled)
    locked { $0.told([submission]) }.carryOut(on: self)
    unwanted?.cancel()
    effects.carryOut(on: self)
  }
}
