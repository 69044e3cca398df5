extension Holding {
  /// A flight and its callers, as taken out under its lock.
  package init(_ flight: Flight, place: UInt64?, since: WaitStart) {
    var waiting: [Waiting] = []
    flight.waiters.forEach { waiting.append(Waiting(job: $0.name, start: $0.start)) }
    self.init(name: { flight.label }, job: flight.name, place: place, since: since, waiting: waiting)
  }
}
