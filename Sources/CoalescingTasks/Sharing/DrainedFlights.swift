package protocol DrainedFlights: ~Copyable, ShutDownState
where Drainer == Caller, DrainEffects == FlightEffects<Drained> {
  associatedtype Drained: AnyFlight & DrainedFlight

  var drains: FlightDrains { get set }

  /// Those that have not ended, wanted or not.
  var unended: [Drained] { get }

  mutating func close(_ effects: inout FlightEffects<Drained>)

  mutating func withdrawAll() -> FlightEffects<Drained>
}

extension DrainedFlights where Self: ~Copyable {
  package mutating func close() -> FlightEffects<Drained> {
    var effects = FlightEffects<Drained>()
    close(&effects)
    return effects
  }

  package mutating func end(_ drainer: Caller, withdraws: Bool) -> (arrival: Arrival, effects: FlightEffects<Drained>) {
    var effects = withdraws ? withdrawAll() : FlightEffects()
    close(&effects)
    let accepted = unended.map(\.accepted)
    return (drains.wait(drainer, for: accepted), effects)
  }
}

package protocol DrainedFlight {
  var accepted: UInt64 { get }
}

extension Flight: DrainedFlight {}
