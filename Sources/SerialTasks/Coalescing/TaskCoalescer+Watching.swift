extension TaskCoalescer: WaitSource {
  func holdings() -> Holdings {
    let holdings = state.withLock { $0.holdings }.map { holding in
      var holding = holding
      if let exact = holding.place.flatMap({ reporter.began($0) }) { holding.since = exact }
      return holding
    }
    return Holdings(kind: .taskCoalescer, clock: time, holdings: holdings)
  }
}

extension CoalescerState {
  /// The flights that are still wanted, in the order in which they began, each with its callers.
  package var holdings: [Holding] {
    let flights = Array(current.values) + Array(detached.values)
    return flights.filter { $0.isGoingOn || !$0.waiters.isEmpty }.sorted { $0.number < $1.number }.map { flight in
      Holding(flight, place: flight.number, since: flight.waiters.first?.start ?? WaitStart())
    }
  }
}
