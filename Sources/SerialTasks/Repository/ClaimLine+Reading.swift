// What a line does for reads, whatever their types and keys: compiled once.

extension ClaimLine {
  @usableFromInline
  final func carryOut(
    joined flight: ReadFlight, _ caller: FlightCaller, _ task: Task<Void, Never>?, _ escalations: Few<Escalation>
  ) {
    task?.escalate(to: caller.priority)
    escalate(escalations)
    report(.joined, of: flight.read, caller.name, flight.read.place)
  }

  @usableFromInline
  final func receive(_ arrival: Arrival, of flight: ReadFlight, _ caller: FlightCaller) {
    guard case .waiting(let escalations) = arrival else { return }
    escalate(escalations)
    report(.waiting, of: flight.read, caller.name, flight.read.place)
  }

  /// Waits for the read's turn, if it has to; returns whether its operation is to run.
  @usableFromInline
  nonisolated(nonsending) final func begin(_ flight: ReadFlight) async -> Bool {
    while true {
      switch decideBegin(flight) {
      case .run: return true
      case .gone: return false
      case .revoked:
        _ = finish(flight.read)
        return false
      case .waitAgain: await Suspension.park { self.park(flight.read, $0) }
      }
    }
  }

  private func decideBegin(_ flight: ReadFlight) -> Beginning { state.withLock { flight.begin(&$0) } }

  @usableFromInline
  final func land(_ flight: ReadFlight) {
    carryOut(
      state.withLock { table in
        flight.stopSharing()
        return flight.land(&table)
      })
  }

  /// A caller reports that it left, and that the read never begins if it was the last; a withdrawal is reported by its cause.
  @usableFromInline
  final func reportLeaving(of flight: ReadFlight, _ caller: Waiter, _ why: JobRejection) {
    guard reports else { return }
    report(.left(why), of: flight.read, caller.name, flight.read.place)
    if caller.endsJob { report(.rejected(why), of: flight.read, flight.name, flight.read.place) }
  }

  /// Starts the limit of a caller whose read has not begun.
  ///
  /// A read that was granted its turn begins without delay; a limit of zero is kept by ``Reads/board(_:_:priority:)``.
  @usableFromInline
  final func limit(_ flight: ReadFlight, _ caller: FlightCaller, to limit: Duration) {
    guard state.withLock({ _ in flight.phase == .boarding && (flight.read.isWaiting || limit > .zero) }) else { return }
    caller.limit = limits.start(limit) { self.leave(flight, caller, .late) }
  }

  final func blockers(of flight: ReadFlight, _ caller: FlightCaller) -> Blockers {
    state.withLock { flight.blockers(of: caller, &$0) }
  }

  final func leave(_ flight: ReadFlight, _ caller: Waiter, _ why: JobRejection) {
    let effects = state.withLock { table -> Effects? in
      switch flight.leave(caller, why, &table) {
      case .gone: return nil
      case .left:
        var effects = Effects()
        effects.resume(caller)
        return effects
      case .lastLeft(var effects, let running):
        caller.handle = running
        effects.resume(caller)
        return effects
      }
    }
    if let effects { carryOut(effects) }
  }
}
