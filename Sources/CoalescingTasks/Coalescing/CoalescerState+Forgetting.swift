// What a coalescer forgets: what is stored, what may be joined, and what runs.

extension CoalescerState {
  /// Forgets what is stored and lets no later caller join what runs, in one step.
  ///
  /// - Returns: What was stored.
  package mutating func invalidate(_ key: StableKey<Key>) -> [PrefetchShelf<Key, Value>.Stored] {
    if let running = current[key] { detach(running) }
    return shelf.remove(key)
  }

  package mutating func invalidateAll() -> [PrefetchShelf<Key, Value>.Stored] {
    for running in current.values { detach(running) }
    return shelf.removeAll()
  }

  /// Ends the key's flights, and sends their callers away.
  package mutating func withdraw(_ key: StableKey<Key>) -> FlightEffects {
    let flights = [current[key]].compactMap { $0 } + detached.values.filter { $0.kept.key == key }
    return withdraw(flights, shelf.remove(key))
  }

  package mutating func withdrawAll() -> FlightEffects {
    withdraw(Array(current.values) + Array(detached.values), shelf.removeAll())
  }

  private mutating func withdraw(_ flights: [Flight], _ stored: [PrefetchShelf<Key, Value>.Stored]) -> FlightEffects {
    var effects = FlightEffects()
    effects.release(stored)
    effects.release(flights)
    interruptions += flights.count
    for flight in flights.sorted(by: { $0.kept.number < $1.kept.number }) {
      forget(flight)
      if flight.phase == .landed {
        failed -= 1
      } else {
        abandoned[flight.kept.number] = flight
        callers -= flight.waiters.count
      }
      effects.withdraw(flight)
    }
    return effects
  }
}
