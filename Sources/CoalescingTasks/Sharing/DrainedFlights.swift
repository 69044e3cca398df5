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
    let unended = unended
    let arrival = drains.wait(drainer, for: unended.accepted)
    // What has landed has ended, but for its task.
    let ahead = unended.reduce(0) { $1.phase == .landed ? $0 : $0 + 1 }
    return (arrival.isWait ? .waiting(ahead: ahead) : arrival, effects)
  }
}

package protocol DrainedFlight {
  var accepted: UInt64 { get }
}

extension Flight: DrainedFlight {}

extension Array where Element: DrainedFlight {
  /// Not by `map`, which would be compiled into each module that calls it.
  var accepted: [UInt64] { reduce(into: []) { $0.append($1.accepted) } }
}
