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
    return locked { flight.begin(in: task, &$0) }
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
    submissions.forEach { $0.settleWithWork() }
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

  /// Lets a caller leave the read that it has joined or leads, if any, and cancels an operation that no caller wants any more.
  ///
  /// The handle of a submitted read is settled, and its end reported; a caller that waits does the latter itself.
  @usableFromInline
  package final func leave(_ caller: Submission, _ why: JobRejection, of read: ReadFlight) {
    leave(caller, why) { read }
  }

  @usableFromInline
  package final func leave(_ caller: FlightCaller<ReadFlight>, _ why: JobRejection) {
    leave(caller, why) { caller.flight }
  }

  @inline(never)
  private final func leave(_ caller: Waiter, _ why: JobRejection, of read: () -> ReadFlight?) {
    let (flight, departure) = locked { state in
      let flight = read()
      if flight == nil { caller.reject(why) }
      return (flight, flight?.leave(caller, why, &state))
    }
    guard let flight, let departure else { return }
    if let submission = caller as? Submission {
      reportLeaving(of: flight, submission, why)
      submission.settle(rejected: why)
      locked { $0.told([submission]) }.carryOut(on: self)
    }
    departure.unwanted.carryOut()
    departure.effects.carryOut(on: self)
  }
}
