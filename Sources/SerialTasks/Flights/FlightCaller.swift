/// A caller that waits for a flight, or for the one that replaced it; safe like ``Waiter``.
@usableFromInline
package final class FlightCaller<Boarded: AnyFlight>: Caller, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var ownFlight: Boarded?
  @exclusivity(unchecked) @usableFromInline var ownLead = false
  @exclusivity(unchecked) private var outerTurn: DoubtfulTurn?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0, isLimited: Bool = false) {
    super.init(.caller, name: name, priority: priority)
    self.isLimited = isLimited
  }

  /// The flight for which it waits, or whose answer it got, once it has boarded.
  @_alwaysEmitIntoClient
  package var flight: Boarded? {
    @inline(__always) get { ownFlight }
    @inline(__always) set { ownFlight = newValue }
  }

  @_alwaysEmitIntoClient
  package var leads: Bool {
    @inline(__always) get { ownLead }
    @inline(__always) set { ownLead = newValue }
  }

  override var startedIn: DoubtfulTurn? {
    get { outerTurn }
    set { outerTurn = newValue }
  }
}
