// What a line does for reads, whatever their types: compiled once.

extension Line {
  @usableFromInline
  func carryOut(raising task: Task<Void, Never>?, to priority: UInt8, _ raise: LineState.Raise?) {
    task?.raise(to: priority)
    if let raise { carryOut(raise) }
  }

  /// Waits for the read's turn, if it has to.
  ///
  /// - Returns: Whether its operation is to run.
  @usableFromInline
  nonisolated(nonsending) func begin(_ flight: ReadFlight) async -> Bool {
    while true {
      switch state.withLock({ flight.begin(&$0) }) {
      case .run: return true
      case .gone: return false
      case .turnedAway(let aftermath):
        carryOut(aftermath)
        return false
      case .putBack:
        await Suspension.park { self.park(flight.seat, $0) }
      }
    }
  }

  @usableFromInline
  func watchReader(_ caller: Waiter, _ flight: ReadFlight) {
    guard reports else { return }
    caller.place = flight.seat.place
    watch(caller)
  }

  /// A caller reports that it left, and that the read never begins if it was the last; a withdrawal is reported by its cause.
  @usableFromInline
  func reportLeaving(of flight: ReadFlight, _ caller: Waiter, _ why: JobRejection) {
    guard reports else { return }
    report(.left(why), caller.name, flight.seat.place)
    if caller.endsJob { report(.rejected(why), flight.name, flight.seat.place) }
  }

  func blockers(of flight: ReadFlight, _ caller: Waiter) -> Blockers {
    state.withLock { flight.blockers(of: caller, $0) }
  }

  func leave(_ flight: ReadFlight, _ caller: Waiter, _ why: JobRejection) {
    let (aftermath, suspension) = state.withLock { state -> (Aftermath?, Suspension?) in
      switch flight.leave(caller, why, &state) {
      case .gone: return (nil, nil)
      case .left: return (nil, caller.takeSuspension())
      case .lastLeft(let aftermath, let running):
        caller.handle = running
        return (aftermath, caller.takeSuspension())
      }
    }
    if let aftermath { carryOut(aftermath) }
    suspension?.resume()
  }
}
