/// What a decision about flights asks for, carried out after the unlock.
@usableFromInline
package struct FlightEffects: Sendable {
  /// Callers and tasks that go on, and operations to be cancelled.
  package var common = Effects()
  /// Callers that were withdrawn, each with its flight, which is reported first.
  package internal(set) var withdrawn: [(flight: AnyFlight, caller: Waiter)] = []
  /// What was kept until now: the last reference may go with it, which is foreign code.
  private var released: [any Sendable] = []

  package init() {}

  /// Ends a flight that no caller wants any more.
  package mutating func abandon(_ flight: AnyFlight) {
    flight.phase = .abandoned
    common.cancel(flight.handle.take())
  }

  /// Ends a flight, and sends its callers away.
  package mutating func withdraw(_ flight: AnyFlight) {
    flight.waiters.removeAll { caller in
      caller.state = .rejected(.withdrawn)
      withdrawn.append((flight, caller))
      common.resume(caller)
    }
    abandon(flight)
  }

  /// Empties what a value was kept in.
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
