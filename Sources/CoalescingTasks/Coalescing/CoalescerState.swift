/// The whole of what a coalescer knows, and every decision it takes.
///
/// It runs under the lock of its coalescer, and never resumes, cancels or calls anything.
///
/// A flight is in exactly one of two places while it goes on: `current`, where callers of its key find and join it, or
/// `detached`. It leaves by identity, never by key, so it can never take a newer flight's place away. One that follows another
/// waits in `trailing`, and becomes current in the step in which that one no longer is.
@usableFromInline
package struct CoalescerState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable, Sendable {
  @usableFromInline package typealias Flight = CoalescedFlight<Key, Value>

  @usableFromInline package internal(set) var current: [StableKey<Key>: Flight] = [:]
  /// Those that wait to follow what is current for their key.
  @usableFromInline package internal(set) var trailing: [StableKey<Key>: Flight] = [:]
  @usableFromInline package internal(set) var detached: [UInt64: Flight] = [:]
  @usableFromInline package internal(set) var shelf = PrefetchShelf<Key, Value>()
  /// Those that no caller wants any more, until their operations have ended.
  @usableFromInline package internal(set) var abandoned: [UInt64: Flight] = [:]
  @usableFromInline package internal(set) var drains = FlightDrains()
  @usableFromInline package internal(set) var isClosed = false
  /// How many operations have been withdrawn or cancelled.
  @usableFromInline package internal(set) var interruptions = 0
  @usableFromInline let joinWindow: Duration?
  /// Whether an operation goes on when all its callers have left.
  @usableFromInline let runsToEnd: Bool
  /// How many flights there have been.
  @usableFromInline var flights: UInt64 = 0
  /// How many callers there have been; each has its number as its place.
  @usableFromInline var arrivals: Place = 0
  /// How many callers wait.
  @usableFromInline package internal(set) var callers = 0
  /// What flights that have ended leave to those that come.
  @usableFromInline var spareGenerations: [TurnGeneration] = []

  @inlinable
  package init(joinWindow: Duration? = nil, runsToEnd: Bool = false) {
    self.joinWindow = joinWindow
    self.runsToEnd = runsToEnd
  }

  deinit { for generation in spareGenerations { TurnGeneration.release(generation) } }
}

// MARK: - Coming

extension CoalescerState {
  @usableFromInline
  package enum Arrival: Sendable {
    /// Prefetched, and consumed by this caller.
    case served(PrefetchShelf<Key, Value>.Stored)
    /// The flight's task is to be raised.
    case joined(Flight, raising: Task<Void, Never>?)
    /// The new flight is the caller's to start.
    case leads(Flight)
    /// The caller follows or replaces what runs, or joins what follows it; a new flight is the caller's to start.
    indirect case forced(Flight, isNew: Bool, raising: [Task<Void, Never>], FlightEffects)
    /// Whether it can join or be served depends on the time, which the request does not have: nothing has happened yet.
    case asksForTheTime
    case closed
  }

  /// Asks for the key, for a caller.
  @_alwaysEmitIntoClient
  package mutating func arrive(_ request: FlightRequest<Key>, _ waiter: Waiter) -> Arrival {
    if request.now == nil, joinWindow != nil || !shelf.isEmpty { return .asksForTheTime }
    if isClosed { return .closed }
    if request.policy != .join { return force(request, waiter) }
    if let stored = shelf.take(request.key, now: request.now ?? .zero) { return .served(stored) }
    if let running = joinable(request) {
      board(running, waiter)
      return .joined(running, raising: running.escalate(to: waiter.priority))
    }
    if !trailing.isEmpty, trailing[request.key] != nil { return force(request, waiter) }
    let flight = begin(request)
    board(flight, waiter)
    return .leads(flight)
  }

  @_alwaysEmitIntoClient @inline(__always)
  mutating func board(_ flight: Flight, _ waiter: Waiter) {
    callers += 1
    arrivals += 1
    waiter.place = arrivals
    flight.waiters.append(waiter)
  }

  /// Returns the flight to start for a caller that is expected, if there is none and nothing is stored.
  @_alwaysEmitIntoClient
  package mutating func prefetch(_ request: FlightRequest<Key>) -> Flight? {
    if isClosed || shelf.has(request.key, now: request.now ?? .zero) || joinable(request) != nil { return nil }
    if !trailing.isEmpty, trailing[request.key] != nil { return nil }
    return begin(request)
  }

  /// Returns what would be joined.
  @_alwaysEmitIntoClient
  func joinable(_ request: FlightRequest<Key>) -> Flight? {
    guard let running = current[request.key] else { return nil }
    guard let joinWindow, let now = request.now, now - running.kept.began >= joinWindow else { return running }
    return nil
  }

  /// Begins a flight; what still flies there is too old to be joined.
  @_alwaysEmitIntoClient
  mutating func begin(_ request: FlightRequest<Key>) -> Flight {
    let flight = make(request)
    // Not `updateValue`: the table's instance of a key is that of the flight, so that its last reference never goes here.
    // Without a join window there is none, or it would be joined.
    if joinWindow != nil, let old = current.removeValue(forKey: flight.kept.key) { setAside(old) }
    current[flight.kept.key] = flight
    return flight
  }

  @_alwaysEmitIntoClient
  mutating func make(_ request: FlightRequest<Key>, follows: Bool = false) -> Flight {
    flights += 1
    let kept = CoalescedResult(
      request, of: TaskCoalescer<Key, Value>.self, request.key.numbered(flights), nil as Result<Value, any Error>?)
    return Flight(
      kept, number: flights, name: request.name, priority: request.priority, parks: follows,
      lent: spareGenerations.popLast() ?? .take())
  }

  @_alwaysEmitIntoClient
  mutating func setAside(_ flight: Flight) {
    flight.kept.isDetached = true
    detached[flight.number] = flight
  }

  /// Lets no later caller join the flight; returns what ``goOn(_:)`` returns.
  @_alwaysEmitIntoClient
  mutating func detach(_ flight: Flight) -> Waiter? {
    current[flight.kept.key] = nil
    setAside(flight)
    return goOn(flight.kept.key)
  }
}

// MARK: - Going

extension CoalescerState {
  @usableFromInline
  package enum Departure: Sendable {
    case left
    /// No caller wants the operation any more: it is to be cancelled, and a task to be resumed.
    case lastLeft(Waiter?)
    /// It had its answer.
    case gone
  }

  /// Takes out a caller that was cancelled or must not wait.
  @_alwaysEmitIntoClient
  package mutating func leave(_ waiter: Waiter, _ flight: Flight, _ why: JobRejection = .cancelled) -> Departure {
    guard waiter.isWaiting else { return .gone }
    flight.waiters.remove(waiter)
    callers -= 1
    waiter.state = .rejected(why)
    if runsToEnd { return .left }
    guard flight.waiters.isEmpty, !flight.kept.isPrefetch else { return .left }
    let next = forget(flight)
    abandon(flight)
    return .lastLeft(flight.unpark() ?? next)
  }

  /// Lands a flight whose operation has ended, or was not wanted any more when it was to begin.
  ///
  /// Each caller is handed to `deliver`, in the order in which they came. Only a prefetch needs the time.
  ///
  /// - Returns: The results that have left the shelf for it.
  @_alwaysEmitIntoClient
  package mutating func land(
    _ flight: Flight, now: Duration?, deliver: (Waiter) -> Void
  ) -> [PrefetchShelf<Key, Value>.Stored] {
    spareGenerations.append(flight.generation)
    if flight.phase == .abandoned { abandoned[flight.number] = nil }
    defer { if !drains.isEmpty { drains.countDown(flight.accepted, deliver) } }
    guard flight.phase == .flying, let result = flight.kept.result else { return [] }
    flight.phase = .landed
    let next = forget(flight)
    defer { if let next { deliver(next) } }
    if flight.waiters.isEmpty {
      // What a caller did not want that came since is wanted by none that comes later.
      guard let expiresAfter = flight.kept.expiresAfter, let now, !flight.kept.isDetached, next == nil,
        case .success(let value) = result
      else { return [] }
      return shelf.store(value, for: flight.kept.key, now: now, expires: now + expiresAfter)
    }
    callers -= flight.waiters.count
    flight.waiters.removeAll { waiter in
      waiter.state = .granted
      deliver(waiter)
    }
    return []
  }

  /// Abandons a flight that no caller wants any more; its operation may run on until it notices.
  @_alwaysEmitIntoClient
  mutating func abandon(_ flight: Flight) {
    interruptions += 1
    flight.phase = .abandoned
    abandoned[flight.number] = flight
  }

  /// Takes the flight out; returns what ``goOn(_:)`` returns.
  @_alwaysEmitIntoClient
  mutating func forget(_ flight: Flight) -> Waiter? {
    if flight.kept.isDetached {
      detached[flight.number] = nil
    } else if let index = current.index(of: flight, for: flight.kept.key) {
      current.remove(at: index)
      return goOn(flight.kept.key)
    } else if let index = trailing.index(of: flight, for: flight.kept.key) {
      trailing.remove(at: index)
    }
    return nil
  }

  /// Lets the flight begin that has waited to follow what was current for the key; returns where its task parks, to be resumed.
  @_alwaysEmitIntoClient
  mutating func goOn(_ key: StableKey<Key>) -> Waiter? {
    guard !trailing.isEmpty, let next = trailing.removeValue(forKey: key) else { return nil }
    current[next.kept.key] = next
    next.parking!.state = .granted
    return next.parking
  }
}
