/// The effects of a decision about flights, carried out after the unlock.
@usableFromInline
package struct FlightEffects<Boarded: AnyFlight>: Sendable {
  package internal(set) var common = Effects()
  /// Withdrawn callers, which are reported first.
  package internal(set) var withdrawn: [FlightCaller<Boarded>] = []
  /// Releasing the last reference runs foreign code.
  private var released: [any Sendable] = []

  package init() {}

  mutating func resume(_ parking: Waiter?) { if let parking { common.resume(parking) } }

  mutating func abandon(_ flight: Boarded) {
    flight.phase = .abandoned
    common.cancel(flight.handle.take(), later: flight.isDeep)
  }

  /// Releases the value after the unlock.
  mutating func release(_ kept: inout (some Sendable)?) {
    if let kept = kept.take() { released.append(kept) }
  }

  mutating func release(_ kept: [some Sendable]) { released += kept as [any Sendable] }
}

extension FlightEffects {
  /// Rejects a caller that was cancelled or must not wait, unless it has had its answer; returns the flight that it
  /// has left, if it had boarded.
  package mutating func leave<Kept, Answer>(_ caller: FlightCaller<Boarded>, _ why: JobRejection) -> Boarded?
  where Boarded == Flight<Kept, Answer> {
    guard caller.isWaiting else { return nil }
    caller.reject(why)
    caller.flight?.waiters.remove(caller)
    common.resume(caller)
    return caller.flight
  }

  /// Abandons a flight and rejects its callers.
  package mutating func withdraw<Kept, Answer>(_ flight: Boarded) where Boarded == Flight<Kept, Answer> {
    flight.waiters.removeAll { caller in
      caller.reject(.withdrawn)
      withdrawn.append(caller)
      common.resume(caller)
    }
    abandon(flight)
  }
}

extension FlightOwner {
  @usableFromInline @inline(never)
  package func carryOut(_ effects: FlightEffects<Boarded>) {
    if reports { for caller in effects.withdrawn { report(.left(.withdrawn), of: caller.flight!, caller) } }
    effects.common.carryOut()
  }
}
