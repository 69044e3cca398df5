extension CoalescerState {
  /// Drops the kept result and makes the running flight unjoinable, in one step.
  ///
  /// A flight that waits to follow begins: it is newer than the change.
  package mutating func invalidate(_ key: StableKey<Key>) -> FlightEffects<Flight> {
    invalidate([current[key]].compactMap(\.self), shelf.remove(key))
  }

  package mutating func invalidateAll() -> FlightEffects<Flight> {
    invalidate(Array(current.values), shelf.removeAll())
  }

  private mutating func invalidate(
    _ flights: [Flight], _ stored: [PrefetchShelf<Key, Value>.Stored]
  ) -> FlightEffects<Flight> {
    var effects = FlightEffects<Flight>()
    effects.release(stored)
    for running in flights { effects.resume(detach(running)) }
    return effects
  }

  /// Abandons the flights of the key and rejects their callers.
  package mutating func withdraw(_ key: StableKey<Key>) -> FlightEffects<Flight> {
    let flights = [current[key], trailing.removeValue(forKey: key)].compactMap { $0 } + detached(of: key)
    return withdraw(flights, shelf.remove(key))
  }

  package mutating func withdrawAll() -> FlightEffects<Flight> {
    let flights = Array(current.values) + Array(trailing.values) + allDetached
    trailing = [:]
    return withdraw(flights, shelf.removeAll())
  }

  private mutating func withdraw(_ flights: [Flight], _ stored: [PrefetchShelf<Key, Value>.Stored]) -> FlightEffects<
    Flight
  > {
    var effects = FlightEffects<Flight>()
    effects.release(stored)
    effects.release(flights)
    interruptions += flights.count
    for flight in flights.sorted(by: { $0.number < $1.number }) {
      _ = forget(flight)
      effects.resume(flight.unpark())
      abandoned[flight.number] = flight
      callers -= flight.waiters.count
      effects.withdraw(flight)
    }
    return effects
  }
}
