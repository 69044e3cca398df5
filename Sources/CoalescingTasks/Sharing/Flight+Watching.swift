extension Holding {
  /// Called under the flight's lock.
  package init<Kept, Answer>(_ flight: Flight<Kept, Answer>, place: UInt64?, since: WaitStart) {
    var waiting: [Waiting] = []
    flight.waiters.forEach { waiting.append(Waiting(job: $0.name, start: $0.start)) }
    self.init(name: { flight.label }, job: flight.name, place: place, since: since, waiting: waiting)
  }

  /// Lists the callers of `drain` apart, because they wait for several flights.
  static func draining(_ drains: FlightDrains, named label: String) -> [Holding] {
    let waiting = drains.waiters.map { Waiting(drainer: $0) }
    return waiting.isEmpty ? [] : [Holding(name: { label }, isHeld: false, waiting: waiting)]
  }
}
