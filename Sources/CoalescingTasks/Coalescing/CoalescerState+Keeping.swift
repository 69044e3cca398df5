// What is kept of prefetches, and what is shown.

extension CoalescerState {
  /// Notes that something was stored until then; returns whether a task is to sleep for it.
  ///
  /// It need not be swept away at once: it may lie there for as long again as it was good.
  package mutating func awaitExpiry(_ expiry: Duration, now: Duration) -> Bool {
    let latest = expiry + (expiry - now)
    if sweepings.contains(where: { $0 <= latest }) { return false }
    sweepings.append(expiry)
    return true
  }

  /// Clears away what has expired, for the task that slept until then; returns that, and until when to sleep next, if it is to and
  /// goes on.
  ///
  /// Half of what is left will have expired by then, so a result is looked at twice or so and not in each sweep.
  package mutating func sweep(
    _ due: Duration, now: Duration, goesOn: Bool
  ) -> (gone: [PrefetchShelf<Key, Value>.Stored], next: Duration?) {
    sweepings.removeAll { $0 == due }
    let gone = shelf.clear(now: now)
    guard goesOn, let next = shelf.middleExpiry, awaitExpiry(next, now: now) else { return (gone, nil) }
    return (gone, next)
  }

  /// Returns how many callers of the key wait.
  package func callers(of key: StableKey<Key>) -> Int {
    let flights = [current[key], trailing[key]].compactMap { $0 } + detached.values.filter { $0.kept.key == key }
    return flights.reduce(0) { $0 + $1.waiters.count }
  }

  package func snapshot(now: Duration) -> CoalescerSnapshot {
    CoalescerSnapshot(
      waiting: callers, running: current.count + detached.count - failed, stored: shelf.alive(now: now),
      isClosed: isClosed)
  }
}
