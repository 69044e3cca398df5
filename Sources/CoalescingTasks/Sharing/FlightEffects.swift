/// The effects of a decision about flights, carried out after the unlock.
@usableFromInline
package struct FlightEffects: Sendable {
  package var common = Effects()
  /// Withdrawn callers, which are reported first.
  package internal(set) var withdrawn: [(flight: AnyFlight, caller: Waiter)] = []
  /// Releasing the last reference runs foreign code.
  private var released: [any Sendable] = []

  package init() {}

  package mutating func resume(_ parking: Waiter?) { if let parking { common.resume(parking) } }

  /// Returns the flight that the caller has left: none if it has had its answer, or has not boarded.
  package mutating func leave(_ caller: FlightCaller, _ why: JobRejection) -> AnyFlight? {
    guard caller.isWaiting else { return nil }
    caller.state = .rejected(why)
    caller.flight?.waiters.remove(caller)
    common.resume(caller)
    return caller.flight
  }

  package mutating func abandon(_ flight: AnyFlight) {
    flight.phase = .abandoned
    common.cancel(flight.handle.take(), later: flight.isDeep)
  }

  package mutating func withdraw(_ flight: AnyFlight) {
    flight.waiters.removeAll { caller in
      caller.state = .rejected(.withdrawn)
      withdrawn.append((flight, caller))
      common.resume(caller)
    }
    abandon(flight)
  }

  /// Releases the value after the unlock.
  package mutating func release(_ kept: inout (some Sendable)?) {
    if let kept = kept.take() { released.append(kept) }
  }

  package mutating func release(_ kept: [some Sendable]) { released += kept as [any Sendable] }
}

extension FlightOwner {
  @usableFromInline
  package func carryOut(_ effects: FlightEffects) {
    if reports { for (flight, caller) in effects.withdrawn { report(.left(.withdrawn), of: flight, caller) } }
    effects.common.carryOut()
  }
}
