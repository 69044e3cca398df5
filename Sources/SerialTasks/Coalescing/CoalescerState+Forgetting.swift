// What a coalescer forgets: what is stored, what may be joined, and what runs.

extension CoalescerState {
  /// Forgets what is stored and lets no later caller join what runs, in one step.
  ///
  /// - Returns: What was stored.
  @inlinable
  package mutating func invalidate(_ key: StableKey<Key>) -> [PrefetchShelf<Key, Value>.Stored] {
    if let running = current[key] { detach(running) }
    return shelf.remove(key)
  }

  @inlinable
  package mutating func invalidateAll() -> [PrefetchShelf<Key, Value>.Stored] {
    for running in current.values { detach(running) }
    return shelf.removeAll()
  }

  @usableFromInline
  package struct Withdrawal: Sendable {
    /// In the order in which they began.
    package let flights: [(flight: Flight, waiters: [Waiter])]
    /// What was stored.
    package let gone: [PrefetchShelf<Key, Value>.Stored]

    @usableFromInline
    init(flights: [(flight: Flight, waiters: [Waiter])], gone: [PrefetchShelf<Key, Value>.Stored]) {
      self.flights = flights
      self.gone = gone
    }
  }

  /// Ends the key's flights, and returns them with their callers taken out of them.
  @inlinable
  package mutating func withdraw(_ key: StableKey<Key>) -> Withdrawal {
    let flights = [current[key]].compactMap { $0 } + detached.values.filter { $0.key == key }
    return Withdrawal(flights: abandon(flights), gone: shelf.remove(key))
  }

  @inlinable
  package mutating func withdrawAll() -> Withdrawal {
    let flights = Array(current.values) + Array(detached.values)
    return Withdrawal(flights: abandon(flights), gone: shelf.removeAll())
  }

  @inlinable
  mutating func abandon(_ flights: [Flight]) -> [(flight: Flight, waiters: [Waiter])] {
    flights.sorted { $0.number < $1.number }.map { flight in
      forget(flight)
      if flight.phase == .landed { failed -= 1 }
      callers -= flight.waiters.count
      if flight.phase == .landed { flight.phase = .abandoned } else { abandon(flight) }
      // Callers of a failed prefetch find it abandoned when they come again, and report that themselves.
      let waiters = flight.waiters.removeAll().filter(\.isWaiting)
      for waiter in waiters { waiter.state = .rejected(.withdrawn) }
      return (flight, waiters)
    }
  }
}
