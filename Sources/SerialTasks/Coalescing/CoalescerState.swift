/// The whole of what a coalescer knows, and every decision it takes: a value with no lock, no task and no continuation in it.
///
/// A flight is in exactly one of two places while it flies: `current`, where callers of its key find and join it, or `detached`.
/// It leaves by identity, never by key, so it can never take a newer flight's place away.
@usableFromInline
package struct CoalescerState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable, Sendable {
  @usableFromInline package typealias Flight = SerialTasks.Flight<Key, Value>

  @usableFromInline package internal(set) var current: [Key: Flight] = [:]
  @usableFromInline package internal(set) var detached: [ObjectIdentifier: Flight] = [:]
  @usableFromInline package internal(set) var shelf = PrefetchShelf<Key, Value>()
  /// Until when tasks sleep that will clear the shelf; few, for each is due in less than half the time of the one before it.
  @usableFromInline package internal(set) var sweepings: [Duration] = []
  @usableFromInline let joinWindow: Duration?

  @inlinable
  package init(joinWindow: Duration? = nil) { self.joinWindow = joinWindow }
}

// MARK: - Coming

extension CoalescerState {
  @usableFromInline
  package enum Arrival: Sendable {
    /// Prefetched, and consumed by this caller.
    case served(Value)
    case joined(Flight)
    /// The new flight is the caller's to start.
    case leads(Flight)
  }

  /// A caller asks for the key; `flight` is made only if it is needed.
  @inlinable
  package mutating func arrive(
    _ key: Key, _ waiter: Waiter, now: Duration, flight: () -> Flight
  ) -> Arrival {
    if let value = shelf.take(key, now: now) { return .served(value) }
    if let running = joinable(key, now: now) {
      running.waiters.append(waiter)
      return .joined(running)
    }
    let flight = flight()
    flight.waiters.append(waiter)
    begin(flight)
    return .leads(flight)
  }

  /// Somebody will ask for the key; returns the flight to start, if there is none and nothing is stored.
  @inlinable
  package mutating func prefetch(_ key: Key, now: Duration, flight: () -> Flight) -> Flight? {
    if shelf.has(key, now: now) || joinable(key, now: now) != nil { return nil }
    let flight = flight()
    begin(flight)
    return flight
  }

  /// What a caller of the key would join.
  @inlinable
  func joinable(_ key: Key, now: Duration) -> Flight? {
    guard let running = current[key] else { return nil }
    guard let joinWindow, now - running.began >= joinWindow else { return running }
    return nil
  }

  /// What flies there still is too old to be joined.
  @inlinable
  mutating func begin(_ flight: Flight) {
    if let old = current[flight.key] { detach(old) }
    current[flight.key] = flight
  }

  @inlinable
  mutating func detach(_ flight: Flight) {
    current[flight.key] = nil
    flight.isDetached = true
    detached[ObjectIdentifier(flight)] = flight
  }
}

// MARK: - Going

extension CoalescerState {
  @usableFromInline
  package enum Departure: Sendable {
    case left
    /// Nobody wants the operation any more: it is to be cancelled.
    case lastLeft
    /// It had its answer.
    case gone
  }

  /// A caller was cancelled.
  @inlinable
  package mutating func leave(_ waiter: Waiter, _ flight: Flight) -> Departure {
    guard waiter.isWaiting else { return .gone }
    flight.waiters.remove(waiter)
    waiter.standing = .rejected(.cancelled)
    guard flight.waiters.isEmpty, !flight.isPrefetch else { return .left }
    forget(flight)
    flight.phase = .abandoned
    return .lastLeft
  }

  @usableFromInline
  package enum Landing: Sendable {
    /// Those who waited have their answer.
    case delivered
    /// Nobody waited: it lies on the shelf until then, and these had to go for it.
    case stored(until: Duration, gone: [Value])
    /// Nobody wanted it any more.
    case nowhere
  }

  /// The operation has ended; each of those who waited is handed to `deliver`, in the order in which they came.
  @inlinable
  package mutating func land(_ flight: Flight, now: Duration, deliver: (Waiter) -> Void) -> Landing {
    guard flight.phase == .flying else { return .nowhere }
    forget(flight)
    flight.phase = .landed
    if !flight.waiters.isEmpty {
      flight.waiters.removeAll { waiter in
        waiter.standing = .granted
        deliver(waiter)
      }
      return .delivered
    }
    guard let expiresAfter = flight.expiresAfter, !flight.isDetached, case .success(let value) = flight.result else {
      return .nowhere
    }
    let expires = now + expiresAfter
    return .stored(until: expires, gone: shelf.store(value, for: flight.key, now: now, expires: expires))
  }

  @inlinable
  mutating func forget(_ flight: Flight) {
    if flight.isDetached {
      detached[ObjectIdentifier(flight)] = nil
    } else if current[flight.key] === flight {
      current[flight.key] = nil
    }
  }
}

// MARK: - Forgetting

extension CoalescerState {
  /// Forgets what is stored and lets no later caller join what runs, in one step.
  ///
  /// - Returns: What was stored.
  @inlinable
  package mutating func invalidate(_ key: Key) -> [Value] {
    if let running = current[key] { detach(running) }
    return shelf.remove(key)
  }

  @inlinable
  package mutating func invalidateAll() -> [Value] {
    for running in current.values { detach(running) }
    return shelf.removeAll()
  }

  @usableFromInline
  package struct Withdrawal: Sendable {
    package let flights: [(flight: Flight, waiters: [Waiter])]
    /// What was stored.
    package let gone: [Value]

    @usableFromInline
    init(flights: [(flight: Flight, waiters: [Waiter])], gone: [Value]) {
      self.flights = flights
      self.gone = gone
    }
  }

  /// Ends the key's flights, and returns them with their callers taken out of them.
  @inlinable
  package mutating func withdraw(_ key: Key) -> Withdrawal {
    let flights = [current[key]].compactMap { $0 } + detached.values.filter { $0.key == key }
    return Withdrawal(flights: flights.map { abandon($0) }, gone: shelf.remove(key))
  }

  @inlinable
  package mutating func withdrawAll() -> Withdrawal {
    let flights = Array(current.values) + Array(detached.values)
    return Withdrawal(flights: flights.map { abandon($0) }, gone: shelf.removeAll())
  }

  @inlinable
  mutating func abandon(_ flight: Flight) -> (flight: Flight, waiters: [Waiter]) {
    forget(flight)
    flight.phase = .abandoned
    let waiters = flight.waiters.removeAll()
    for waiter in waiters { waiter.standing = .rejected(.withdrawn) }
    return (flight, waiters)
  }
}

// MARK: - Keeping

extension CoalescerState {
  /// Something was stored until then; returns whether a task is to sleep for it.
  ///
  /// It need not be swept away at once: it may lie there for as long again as it was good.
  package mutating func awaitExpiry(_ expiry: Duration, now: Duration) -> Bool {
    let latest = expiry + (expiry - now)
    if sweepings.contains(where: { $0 <= latest }) { return false }
    sweepings.append(expiry)
    return true
  }

  /// The task that slept until then clears away what has expired; returns that, and until when to sleep next, if it is to.
  ///
  /// Half of what is left will have expired by then, so a result is looked at twice or so and not in each sweep.
  package mutating func sweep(_ due: Duration, now: Duration) -> (gone: [Value], next: Duration?) {
    sweepings.removeAll { $0 == due }
    let gone = shelf.clear(now: now)
    guard let next = shelf.middleExpiry, awaitExpiry(next, now: now) else { return (gone, nil) }
    return (gone, next)
  }

  package func snapshot(now: Duration) -> CoalescerSnapshot {
    let flights = Array(current.values) + Array(detached.values)
    return CoalescerSnapshot(
      flights: flights.count, waiting: flights.reduce(0) { $0 + $1.waiters.count }, stored: shelf.alive(now: now))
  }
}
