extension CoalescerState {
  /// Makes a caller follow or replace the running flight, or join the flight that waits to follow it.
  ///
  /// Discards the kept result, which is older than the call. A flight too old to be joined is not followed either.
  @usableFromInline
  package mutating func force(_ request: borrowing FlightRequest<Key>, _ caller: FlightCaller<Flight>) -> ArriveAction {
    var effects = FlightEffects<Flight>()
    effects.release(shelf.remove(request.key))
    let running = current[request.key]
    if request.policy == .supersede { return replace(request, caller, effects) }
    let isYoung = joinable(request) != nil
    if let waiting = trailing[request.key] {
      let tasks = [running, waiting].compactMap { $0?.escalate(to: caller.priority) }
      if !isYoung, let running { effects.resume(detach(running)) }
      board(waiting, caller)
      return .forced(waiting, isNew: false, raising: tasks, effects)
    }
    let raised = isYoung ? running?.escalate(to: caller.priority) : nil
    let flight = isYoung ? make(request, follows: true) : begin(request)
    if isYoung { trailing[flight.kept.key] = flight }
    board(flight, caller, leads: true)
    return .forced(flight, isNew: true, raising: raised.map { [$0] } ?? [], effects)
  }

  /// Replaces the running flight and the waiting one by a new one, which gets their callers.
  private mutating func replace(
    _ request: borrowing FlightRequest<Key>, _ caller: FlightCaller<Flight>, _ effects: consuming FlightEffects<Flight>
  ) -> ArriveAction {
    let flight = make(request)
    let replaced = [current.removeValue(forKey: request.key), trailing.removeValue(forKey: request.key)]
      .compactMap(\.self)
    for old in replaced { abandoned[old.number] = old }
    flight.carryOver(from: replaced, &drains, &effects)
    current[flight.kept.key] = flight
    board(flight, caller, leads: true)
    return .forced(flight, isNew: true, raising: [], effects)
  }

  /// Gives the flight, which has succeeded, the callers of flights of its key that were too old to be joined when it
  /// began.
  mutating func answerStuckCallers(with flight: Flight) -> FlightEffects<Flight> {
    var effects = FlightEffects<Flight>()
    guard let joinWindow, let began = flight.began, flight.phase == .flying, case .success = flight.answer else {
      return effects
    }
    let stuck = detached(of: flight.kept.key).filter {
      $0.number < flight.number && began - ($0.began ?? began) >= joinWindow
    }
    flight.takeCallers(of: stuck.filter { !$0.waiters.isEmpty }, &drains)
    for old in stuck where !old.staysWanted && !runsToEnd {
      interruptions += 1
      endDetachment(of: old)
      abandoned[old.number] = old
      effects.abandon(old)
    }
    return effects
  }

  /// Returns until when the flight ahead can be joined; `nil` if there is no limit, or this one does not wait.
  package func endOfJoining(before flight: Flight) -> Duration? {
    guard let joinWindow, let began = followed(by: flight)?.began else { return nil }
    return began + joinWindow
  }

  /// Makes the flight ahead of this one unjoinable: this one begins.
  package mutating func endJoining(before flight: Flight) -> FlightEffects<Flight> {
    var effects = FlightEffects<Flight>()
    if let running = followed(by: flight) { effects.resume(detach(running)) }
    return effects
  }

  private func followed(by flight: Flight) -> Flight? {
    trailing[flight.kept.key] === flight ? current[flight.kept.key] : nil
  }
}
