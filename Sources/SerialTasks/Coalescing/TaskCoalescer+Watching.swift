extension TaskCoalescer: WaitSource {
  func holdings() -> Holdings {
    Holdings(kind: .taskCoalescer, clock: clock, holdings: reporter.dated(state.withLock { $0.holdings }))
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
