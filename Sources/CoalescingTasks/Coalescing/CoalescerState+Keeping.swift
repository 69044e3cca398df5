extension CoalescerState {
  package func callers(of key: StableKey<Key>) -> Int {
    let flights = [current[key], trailing[key]].compactMap { $0 } + detached(of: key)
    return flights.reduce(0) { $0 + $1.waiters.count }
  }

  package func snapshot(now: Duration) -> CoalescerSnapshot {
    CoalescerSnapshot(
      waiting: callers, running: current.count + allDetached.count, stored: shelf.alive(now: now), isClosed: isClosed)
  }
}
