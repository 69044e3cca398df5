extension CoalescerState {
  package func callers(of key: StableKey<Key>) -> Int {
    let flights = [current[key], trailing[key]].compactMap { $0 } + detached(of: key)
    return flights.reduce(0) { $0 + $1.waiters.count }
  }

  package func snapshot(now: Duration) -> CoalescerSnapshot {
    let running = detached.values.reduce(current.count) { $0 + $1.count }
    return CoalescerSnapshot(waiting: callers, running: running, stored: shelf.alive(now: now), isClosed: isClosed)
  }
}
