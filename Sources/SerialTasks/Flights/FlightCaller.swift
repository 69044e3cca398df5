/// A caller that waits for a flight.
///
/// Safe like ``Waiter``.
@usableFromInline
package class FlightCaller: Caller, @unchecked Sendable {
  /// The flight for which it first waited.
  ///
  /// Safe because it is used only while the caller waits, and the waiting call retains the flight.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var ownFlight: AnyFlight?
  @exclusivity(unchecked) private final var outerTurn: DoubtfulTurn?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0, isLimited: Bool = false) {
    super.init(.caller, name: name, priority: priority)
    self.isLimited = isLimited
  }

  /// Like ``AnyFlight/phase``.
  @_alwaysEmitIntoClient
  package final var flight: AnyFlight? {
    @inline(__always) get { ownFlight }
    @inline(__always) set { ownFlight = newValue }
  }

  package final override var startedIn: DoubtfulTurn? {
    get { outerTurn }
    set { outerTurn = newValue }
  }
}

/// A caller that may be carried over to another flight while it waits.
///
/// Safe like ``Waiter``.
@usableFromInline
package final class CarriedCaller<Carrier: AnyFlight>: FlightCaller, @unchecked Sendable {
  /// The flight for which it waits now, or whose result it got.
  @exclusivity(unchecked) @usableFromInline package var carrier: Carrier?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0) { super.init(name: name, priority: priority) }

  /// Safe only if the owner has no other kind of caller.
  package static func cast(_ waiter: Waiter) -> CarriedCaller { unsafeDowncast(waiter, to: CarriedCaller.self) }
}
