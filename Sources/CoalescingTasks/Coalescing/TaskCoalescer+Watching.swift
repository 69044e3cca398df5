extension TaskCoalescer: WaitSource {
  package func holdings() -> Holdings {
    let label = label
    let held = state.withLock { $0.holdings(named: label) }
    return Holdings(kind: "TaskCoalescer", clock: clock, holdings: reporter?.dated(held) ?? held)
  }
}

extension CoalescerState {
  /// Lists the flights, wanted or not, oldest first; last, the callers of `drain`.
  package func holdings(named label: String) -> [Holding] {
    let flights = Array(current.values) + allDetached + Array(abandoned.values)
    let found = flights.sorted { $0.number < $1.number }
    return found.map { flight in
      var holding = Holding(
        flight, place: flight.number, since: flight.waiters.first?.start ?? WaitStart())
      // Callers of the flight that follows wait for this one first.
      if !flight.isDetached, let next = trailing[flight.kept.key], current[flight.kept.key] === flight {
        holding.waiting += Holding(next, place: nil, since: WaitStart()).waiting
      }
      return holding
    } + Holding.draining(drains, named: label)
  }
}
