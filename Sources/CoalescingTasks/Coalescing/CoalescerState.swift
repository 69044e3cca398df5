/// The state of a coalescer and all its decisions; runs under the lock, and never resumes, cancels or calls anything.
///
/// A flight that has not ended is in exactly one place: `current`, where callers of its key join it, `trailing`,
/// where it waits to follow that one, or `detached`. When a flight leaves `current`, the trailing one takes its place
/// in the same step. Flights are removed by identity, never by key, which protects a newer flight of the same key.
@usableFromInline
package struct CoalescerState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable, Sendable {
  @usableFromInline package typealias Flight = CoalescedFlight<Key, Value>

  @usableFromInline package internal(set) var current: [StableKey<Key>: Flight] = [:]
  @usableFromInline package internal(set) var trailing: [StableKey<Key>: Flight] = [:]
  /// By the hash of the key, and not by the key, which the table might release under the lock; then by number.
  @usableFromInline package internal(set) var detached: [Int: [UInt64: Flight]] = [:]
  @usableFromInline package internal(set) var shelf = PrefetchShelf<Key, Value>()
  /// Unwanted flights, until their operations have ended.
  @usableFromInline package internal(set) var abandoned: [UInt64: Flight] = [:]
  @usableFromInline package var drains = FlightDrains()
  @usableFromInline package internal(set) var isClosed = false
  /// How many operations were withdrawn or cancelled.
  @usableFromInline package internal(set) var interruptions = 0
  @usableFromInline let joinWindow: Duration?
  /// Whether an operation that has begun continues after all its callers have left.
  @usableFromInline let runsToEnd: Bool
  @usableFromInline var flights: UInt64 = 0
  /// Each caller gets its number as its place.
  @usableFromInline var arrivals: Place = 0
  @usableFromInline package internal(set) var callers = 0
  @usableFromInline var spareGenerations: [TurnGeneration] = []

  @inlinable
  package init(joinWindow: Duration? = nil, runsToEnd: Bool = false) {
    self.joinWindow = joinWindow
    self.runsToEnd = runsToEnd
  }

  deinit { for generation in spareGenerations { TurnGeneration.release(generation) } }
}

// MARK: - Arriving

extension CoalescerState {
  @usableFromInline
  package enum ArriveAction: Sendable {
    /// The caller consumes a prefetched result.
    case served(PrefetchShelf<Key, Value>.Stored)
    case joined(Flight, raising: Task<Void, Never>?)
    case leads(Flight)
    /// The caller follows or replaces the running flight, or joins the one that follows it; it starts the flight if
    /// it is new.
    indirect case forced(Flight, isNew: Bool, raising: [Task<Void, Never>], FlightEffects<Flight>)
    case rejected(JobRejection)
  }

  @_alwaysEmitIntoClient
  package mutating func arrive(_ request: borrowing FlightRequest<Key>, _ caller: FlightCaller<Flight>) -> ArriveAction
  {
    if let why = caller.rejection { return .rejected(why) }
    if isClosed { return .rejected(.closed) }
    if request.policy != .join { return force(request, caller) }
    if let stored = shelf.take(request.key, now: request.now) { return .served(stored) }
    if let running = joinable(request) {
      board(running, caller)
      return .joined(running, raising: running.escalate(to: caller.priority))
    }
    if !trailing.isEmpty, trailing[request.key] != nil { return force(request, caller) }
    let flight = begin(request)
    board(flight, caller, leads: true)
    return .leads(flight)
  }

  @_alwaysEmitIntoClient @inline(__always)
  mutating func board(_ flight: Flight, _ caller: FlightCaller<Flight>, leads: Bool = false) {
    callers += 1
    arrivals += 1
    caller.place = arrivals
    caller.flight = flight
    caller.leads = leads
    flight.waiters.append(caller)
  }

  /// Returns a new flight for a prefetch, or `nil` if there is already a result or a flight to join.
  @_alwaysEmitIntoClient
  package mutating func prefetch(_ request: borrowing FlightRequest<Key>) -> Flight? {
    if isClosed || shelf.has(request.key, now: request.now) || joinable(request) != nil { return nil }
    if !trailing.isEmpty, trailing[request.key] != nil { return nil }
    return begin(request)
  }

  @_alwaysEmitIntoClient
  func joinable(_ request: borrowing FlightRequest<Key>) -> Flight? {
    guard let running = current[request.key] else { return nil }
    guard let joinWindow, let began = running.began, request.now - began >= joinWindow else { return running }
    return nil
  }

  /// Begins a flight; detaches one of the same key that is too old to be joined.
  @_alwaysEmitIntoClient
  mutating func begin(_ request: borrowing FlightRequest<Key>) -> Flight {
    let flight = make(request)
    // Not `updateValue`: the dictionary must use the flight's own instance of the key, or the last reference could be
    // released here, under the lock. Without a join window, no old flight can be here: it would have been joined.
    if joinWindow != nil, let old = current.removeValue(forKey: flight.kept.key) { setAside(old) }
    current[flight.kept.key] = flight
    return flight
  }

  @_alwaysEmitIntoClient
  mutating func make(_ request: borrowing FlightRequest<Key>, follows: Bool = false) -> Flight {
    flights += 1
    let kept = KeyOfFlight(request, of: TaskCoalescer<Key, Value>.self, request.key.numbered(flights))
    let flight = Flight(
      kept, nil, number: flights, name: request.name, priority: request.priority,
      began: joinWindow == nil ? nil : request.now, parks: follows, lent: spareGenerations.popLast() ?? .take())
    flight.staysWanted = request.expiresAfter != nil
    return flight
  }

  @_alwaysEmitIntoClient
  mutating func setAside(_ flight: Flight) {
    flight.isDetached = true
    detached[flight.kept.key.hash, default: [:]][flight.number] = flight
  }

  @_alwaysEmitIntoClient
  mutating func endDetachment(of flight: Flight) {
    let hash = flight.kept.key.hash
    guard var flights = detached.removeValue(forKey: hash) else { return }
    flights[flight.number] = nil
    if !flights.isEmpty { detached[hash] = flights }
  }

  /// Returns those of the key that have been detached; O(their number).
  @usableFromInline
  func detached(of key: StableKey<Key>) -> [Flight] { detached[key.hash]?.values.filter { $0.kept.key == key } ?? [] }

  @usableFromInline
  var allDetached: [Flight] { detached.values.flatMap(\.values) }

  /// Makes the flight unjoinable; returns what ``goOn(_:)`` returns.
  @_alwaysEmitIntoClient
  mutating func detach(_ flight: Flight) -> Waiter? {
    current[flight.kept.key] = nil
    setAside(flight)
    return goOn(flight.kept.key)
  }
}

// MARK: - Leaving and landing

extension CoalescerState {
  /// Abandons a flight that no caller wants: its operation may run on until it notices its cancellation.
  @usableFromInline
  package mutating func leave(_ caller: FlightCaller<Flight>, _ why: JobRejection = .cancelled) -> FlightEffects<Flight>
  {
    var effects = FlightEffects<Flight>()
    guard let flight = effects.leave(caller, why) else { return effects }
    callers -= 1
    let isUnwanted = flight.waiters.isEmpty && !flight.staysWanted && (!runsToEnd || flight.parking?.isWaiting == true)
    if !isUnwanted { return effects }
    interruptions += 1
    let next = forget(flight)
    abandoned[flight.number] = flight
    effects.resume(flight.unpark() ?? next)
    effects.abandon(flight)
    return effects
  }

  /// Ends a flight whose operation has ended, or that was no longer wanted when it should have begun.
  ///
  /// Passes each caller to `deliver`, in order of arrival; returns the results that have left the shelf. Only a
  /// prefetch needs the time.
  @_alwaysEmitIntoClient
  package mutating func land(
    _ flight: Flight, now: Duration?, deliver: (Waiter) -> Void
  ) -> [PrefetchShelf<Key, Value>.Stored] {
    spareGenerations.append(flight.generation)
    if flight.phase == .abandoned { abandoned[flight.number] = nil }
    defer { if !drains.isEmpty { drains.countDown(flight.accepted, deliver) } }
    flight.handle = nil
    guard flight.phase == .flying, let result = flight.answer else { return [] }
    flight.phase = .landed
    let next = forget(flight)
    defer { if let next { deliver(next) } }
    if flight.waiters.isEmpty {
      // The result is too old for a caller that has arrived since, and for later callers.
      guard let expiresAfter = flight.kept.expiresAfter, let now, !flight.isDetached, next == nil,
        case .success(let value) = result
      else { return [] }
      return shelf.store(value, for: flight.kept.key, now: now, expires: now + expiresAfter)
    }
    callers -= flight.waiters.count
    flight.waiters.removeAll { waiter in
      waiter.grant()
      deliver(waiter)
    }
    return []
  }

  /// Removes the flight; returns what ``goOn(_:)`` returns.
  @_alwaysEmitIntoClient
  mutating func forget(_ flight: Flight) -> Waiter? {
    if flight.isDetached {
      endDetachment(of: flight)
    } else if let index = current.index(of: flight, for: flight.kept.key) {
      current.remove(at: index)
      return goOn(flight.kept.key)
    } else if let index = trailing.index(of: flight, for: flight.kept.key) {
      trailing.remove(at: index)
    }
    return nil
  }

  /// Makes the trailing flight of the key current; returns where its task is parked, to be resumed.
  @_alwaysEmitIntoClient
  mutating func goOn(_ key: StableKey<Key>) -> Waiter? {
    guard !trailing.isEmpty, let next = trailing.removeValue(forKey: key) else { return nil }
    current[next.kept.key] = next
    next.parking!.grant()
    return next.parking
  }
}
