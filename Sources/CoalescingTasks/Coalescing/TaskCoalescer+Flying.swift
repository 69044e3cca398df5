extension TaskCoalescer: FlightOwner {
  @usableFromInline package typealias Boarded = CoalescedFlight<Key, Value>
  @usableFromInline package typealias Guest = FlightCaller<CoalescedFlight<Key, Value>>

  @_alwaysEmitIntoClient
  package func locked<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  @_alwaysEmitIntoClient
  func start(
    _ flight: Flight, for caller: FlightCaller<Flight>?,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> Arrival {
    let begins = flight.parking == nil
    if begins {
      report(.began, flight.kept.key, flight.name, flight.number)
    } else {
      beginWait(flight, keys: flight.kept.key, ahead: 1)
    }
    let marker = TurnMarker(taskOf: flight)
    return attach(
      .starting(flight, marker, now: begins) { await self.fly(flight, marker, operation) }, in: marker, to: flight,
      for: caller)
  }

  @_alwaysEmitIntoClient
  nonisolated(nonsending) func fly(
    _ flight: Flight, _ marker: TurnMarker, _ operation: @isolated(any) () async throws -> Value
  ) async {
    TurnMarker.bindAddress()
    if flight.parking != nil { await follow(flight) }
    if begin(flight) {
      do { flight.answer = .success(try await operation()) } catch { flight.answer = .failure(error) }
    }
    marker.end()
    if reports { tellEnd(of: flight) }
    land(flight)
  }

  /// Not inlined: see ``Lock``.
  @_alwaysEmitIntoClient @inline(never)
  func begin(_ flight: Flight) -> Bool {
    let task = TaskReference.current
    return state.withLock { _ in flight.begin(in: task) }
  }

  @usableFromInline
  nonisolated(nonsending) func follow(_ flight: Flight) async {
    let parking = flight.parking!
    await park(until: state.withLock { $0.endOfJoining(before: flight) }) { suspension in
      locked { parking.park(suspension) }
    } endJoining: { coalescer in
      coalescer.state.withLock { $0.endJoining(before: flight) }
    }
    if parking.isRejected { return }
    let now = clock.now
    state.withLock { _ in flight.began = now }
    report(.began, flight.kept.key, flight.name, flight.number, by: parking)
  }

  @usableFromInline
  func answerStuckCallers(with flight: Flight) { carryOut(state.withLock { $0.answerStuckCallers(with: flight) }) }

  @_alwaysEmitIntoClient @inline(never)
  func land(_ flight: Flight) {
    // Separately: an operation that waits for this one leaves it as a cancelled caller, before that is answered.
    if flight.began != nil { answerStuckCallers(with: flight) }
    let now = flight.kept.expiresAfter == nil ? nil : clock.now
    // Results that leave the shelf are released after the unlock.
    let (resumed, _) = state.withLock { state -> (Few<Suspension>, [PrefetchShelf<Key, Value>.Stored]) in
      var resumed = Few<Suspension>.none
      let gone = state.land(flight, now: now) { resumed.append(waiter: $0) }
      return (resumed, gone)
    }
    resumed.resumeAll()
  }

  @usableFromInline
  package func leave(_ caller: FlightCaller<CoalescedFlight<Key, Value>>, _ why: JobRejection) {
    carryOut(state.withLock { $0.leave(caller, why) })
  }

  @usableFromInline
  package func blockers(of caller: Guest) -> Blockers {
    state.withLock { state in
      guard caller.isWaiting, let flight = caller.flight else { return .none }
      let follows = flight.parking?.isWaiting == true
      return .all([follows ? state.current[flight.kept.key] ?? flight : flight])
    }
  }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of flight: CoalescedFlight<Key, Value>, _ caller: Guest) {
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
    // A flight that never began after its wait is rejected like a load.
    let (unbegun, start) = flight.parking.map { ($0.rejection, $0.start) } ?? (nil, WaitStart())
    let end = unbegun.map { .rejected($0) } ?? flight.answer?.outcome ?? .failed(CancellationError())
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
