extension TaskCoalescer: FlightOwner {

  @_alwaysEmitIntoClient
  package func locked<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  /// Starts the operation, immediately where the system can; returns whether it has already ended.
  @_alwaysEmitIntoClient
  func start(_ flight: Flight, _ operation: sending @escaping @isolated(any) () async throws -> Value) -> Bool {
    let begins = flight.parking == nil
    if begins { report(.began, flight.kept.key, flight.name, flight.number) } else { beginWait(flight) }
    let marker = TurnMarker(taskOf: flight)
    return attach(.starting(flight, marker, now: begins) { await self.fly(flight, marker, operation) }, to: flight)
  }

  @_alwaysEmitIntoClient
  nonisolated(nonsending) func fly(
    _ flight: Flight, _ marker: TurnMarker, _ operation: @isolated(any) () async throws -> Value
  ) async {
    TurnMarker.bindAddress()
    if flight.parking != nil { await follow(flight) }
    if state.withLock({ _ in flight.begin() }) {
      do { flight.kept.result = .success(try await operation()) } catch { flight.kept.result = .failure(error) }
    }
    marker.end()
    if reports { tellEnd(of: flight) }
    land(flight)
  }

  /// Notes that the flight waits to follow another.
  ///
  /// Called before its task is created.
  @usableFromInline
  func beginWait(_ flight: Flight) {
    guard let reporter else { return }
    let now = clock.now
    state.withLock { _ in flight.parking!.start = WaitStart(at: now) }
    reporter.reportWaiting(
      executor: label, keys: flight.kept.key, flight.name, flight.number, at: now, ahead: 1)
  }

  /// Waits until the flight may begin or is no longer wanted.
  @usableFromInline
  nonisolated(nonsending) func follow(_ flight: Flight) async {
    let parking = flight.parking!
    let limit = limitFollowing(flight)
    await Suspension.park { suspension in locked { parking.park(suspension) } }
    limit?.end()
    if parking.isRejected { return }
    let now = clock.now
    state.withLock { _ in flight.kept.began = now }
    report(.began, flight.kept.key, flight.name, flight.number, by: parking)
  }

  /// Begins a flight that waits to follow another, once the other can no longer be joined.
  private func limitFollowing(_ flight: Flight) -> TimeLimit? {
    guard let due = state.withLock({ $0.endOfJoining(before: flight) }) else { return nil }
    return TimeLimits(clock: clock).start(until: due) { [weak self] in
      guard let self else { return }
      carryOut(state.withLock { $0.endJoining(before: flight) })
    }
  }

  @_alwaysEmitIntoClient @inline(never)
  func land(_ flight: Flight) {
    let now = flight.kept.isPrefetch ? clock.now : nil
    // Results that leave the shelf are released after the unlock.
    let (resumed, _) = state.withLock { state -> (Few<Suspension>, [PrefetchShelf<Key, Value>.Stored]) in
      var resumed = Few<Suspension>.none
      let gone = state.land(flight, now: now) { resumed.append(waiter: $0) }
      flight.handle = nil
      return (resumed, gone)
    }
    resumed.resumeAll()
  }

  /// Returns the caller's result after its wait; `nil` if the caller must retry.
  @_alwaysEmitIntoClient @inline(never)
  func answer(
    of flight: Flight, _ caller: CoalescedCaller<Key, Value>, _ source: CoalescedAnswer<Value>.Source
  ) throws -> CoalescedAnswer<Value> {
    let (flight, source) = caller.carrier.map { ($0, .joined) } ?? (flight, source)
    if let why = takeRejection(of: caller, from: flight) { throw JobRejection.untyped(why) }
    return CoalescedAnswer(value: try flight.kept.result!.get(), source: source)
  }

  @usableFromInline
  package func leave(_ flight: AnyFlight, _ caller: Waiter, _ why: JobRejection) {
    // Safe because callers wait for this coalescer's own flights only.
    let flight = unsafeDowncast(flight, to: Flight.self)
    let resumed = state.withLock { state -> Few<Suspension> in
      let flight = Self.boarded(by: caller, flight)
      var resumed = Few<Suspension>.none
      switch state.leave(caller, flight, why) {
      case .gone: return .none
      case .left: break
      case .lastLeft(let task):
        caller.handle = flight.handle.take()
        if let task { resumed.append(waiter: task) }
      }
      resumed.append(waiter: caller)
      return resumed
    }
    resumed.resumeAll()
  }

  /// Returns the flight that the caller waits for now, to which it may have been carried over.
  ///
  /// Safe because only such callers wait for a coalescer's flights.
  private static func boarded(by caller: Waiter, _ flight: Flight) -> Flight {
    CoalescedCaller<Key, Value>.cast(caller).carrier ?? flight
  }

  @usableFromInline
  package func blockers(of flight: AnyFlight, _ caller: Waiter) -> Blockers {
    state.withLock { state in
      guard caller.isWaiting else { return .none }
      let flight = Self.boarded(by: caller, unsafeDowncast(flight, to: Flight.self))
      let follows = flight.parking?.isWaiting == true
      return .all([follows ? state.current[flight.kept.key] ?? flight : flight])
    }
  }

  @_alwaysEmitIntoClient package var reports: Bool { reporter != nil }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of flight: AnyFlight, _ caller: Waiter) {
    // Safe for the same reason.
    let flight = unsafeDowncast(flight, to: Flight.self)
    tell(kind, flight.kept.key, caller.name, flight.number, of: flight.name, waitingSince: locked { caller.start })
  }

  @usableFromInline
  package var label: String {
    name ?? WaitNode.shortID("TaskCoalescer<\(Key.self), \(Value.self)>", of: ObjectIdentifier(self))
  }

  @_alwaysEmitIntoClient
  package func report(
    _ kind: TaskEvent.Kind, _ key: StableKey<Key>, _ job: String?, _ flight: UInt64?, by caller: Waiter? = nil
  ) {
    // The decision about the caller is final: nothing writes there any more.
    if reports { tell(kind, key, job, flight, waitingSince: caller?.start ?? WaitStart()) }
  }

  @usableFromInline
  func tellEnd(of flight: Flight) {
    // A flight that waited to follow another, and never began, is rejected like a load.
    let (unbegun, start) = flight.parking.map { ($0.rejection, $0.start) } ?? (nil, WaitStart())
    let end = unbegun.map { .rejected($0) } ?? flight.kept.result?.outcome ?? .failed(CancellationError())
    tell(end, flight.kept.key, flight.name, flight.number, waitingSince: start)
  }

  @usableFromInline
  func tell(
    _ kind: TaskEvent.Kind, _ key: StableKey<Key>, _ job: String?, _ flight: UInt64?, of operation: String? = nil,
    waitingSince start: WaitStart = WaitStart()
  ) {
    reporter?.report(kind, executor: label, keys: key, job, flight, of: operation, waitingSince: start)
  }
}
