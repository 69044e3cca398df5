/// All decisions of a ``Reloader``, made under its lock; never resumes, cancels or calls anything.
///
/// ``Succession`` decides who joins, follows and replaces which load. Results land one at a time, in the order of
/// their loads.
package struct ReloaderState<Reason: ReloadReason, Value: Sendable>: ~Copyable, Sendable {
  package typealias Load = ReloadFlight<Reason, Value>

  package internal(set) var loads = Succession<OwnerAndReason<Reason>, Value>()

  package init() {}

  package func snapshot() -> ReloaderSnapshot<Reason> {
    let running = loads.joinable()
    return ReloaderSnapshot(
      waiting: loads.waiting, running: running == nil ? 0 : 1, reason: running?.kept.reason.value,
      next: loads.trailing?.kept.reason.value, isClosed: loads.isClosed)
  }

  package enum AskAction: Sendable {
    /// `replacing` is the reason of the joined load, if that waits to follow another. In a box, or it would be copied
    /// through the witnesses of the types.
    indirect case boards(Succession<OwnerAndReason<Reason>, Value>.AskAction, replacing: Reason? = nil)
    case rejected(JobRejection)
  }

  /// Loads for the screen if there is no caller.
  package mutating func ask(_ request: borrowing ReloadRequest<Reason>, _ caller: FlightCaller<Load>?) -> AskAction {
    if let why = caller?.rejection { return .rejected(why) }
    if loads.isClosed { return .rejected(.closed) }
    let arrival = loads.ask(request.policy, caller, priority: request.priority) { number, _ in
      Load(
        OwnerAndReason(owner: request.owner, reason: SharedReason(request.reason)), nil, number: number,
        name: request.name, priority: request.priority, parks: true)
    }
    guard case .joins(let load, _, _) = arrival, load === loads.trailing else { return .boards(arrival) }
    return .boards(arrival, replacing: load.kept.reason.replace(with: request.reason))
  }

  package enum LandAction: Sendable {
    /// Apply the result, then call ``landed(_:)``.
    case now
    /// An older result is being applied: park, then call this again.
    case wait
    case gone
  }

  /// Called in the isolation of `apply`.
  package mutating func land(_ load: Load) -> LandAction {
    guard loads.running.last === load else { return .gone }
    if loads.landing != nil {
      if !load.parking!.isWaiting { load.parking!.stage = .blocked }
      return .wait
    }
    (loads.landing, loads.running) = (load, [])
    return .now
  }

  package mutating func landed(_ load: Load) -> FlightEffects<Load> {
    var effects = FlightEffects<Load>()
    loads.landing = nil
    load.handle = nil
    loads.answer(load, &effects)
    loads.goOn(&effects)
    guard let parked = loads.running.last?.parking, parked.isWaiting else { return effects }
    parked.grant()
    effects.resume(parked)
    return effects
  }

  mutating func fail(_ load: Load) -> FlightEffects<Load> {
    var effects = FlightEffects<Load>()
    guard loads.running.last === load else { return effects }
    load.handle = nil
    loads.answer(load, &effects)
    loads.remove(load, &effects)
    return effects
  }
}
