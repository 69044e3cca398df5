extension TaskCoalescer: FlightOwner {

  @inlinable
  func locked<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  /// Starts the operation, at once where the system can; returns whether it has ended.
  @inlinable
  func start(_ flight: Flight, _ operation: sending @escaping @isolated(any) () async throws -> Value) -> Bool {
    report(.began, flight.key, flight.name, flight.number)
    let marker = TurnMarker(taskOf: flight)
    return attach(.starting(flight, marker) { await self.fly(flight, marker, operation) }, to: flight)
  }

  @inlinable
  nonisolated(nonsending) func fly(
    _ flight: Flight, _ marker: TurnMarker, _ operation: @isolated(any) () async throws -> Value
  ) async {
    TurnMarker.bindAddress()
    if state.withLock({ _ in flight.begin() }) {
      do { flight.result = .success(try await operation()) } catch { flight.result = .failure(error) }
    }
    marker.end()
    if onEvent != nil { tellEnd(of: flight) }
    land(flight)
  }

  @inlinable @inline(never)
  func land(_ flight: Flight) {
    let now = flight.isPrefetch ? clock.now : nil
    let (resumed, landing) = state.withLock { state -> (Few<Suspension>, CoalescerState<Key, Value>.Landing) in
      var resumed = Few<Suspension>.none
      let landing = state.land(flight, now: now) { resumed.append(waiter: $0) }
      flight.handle = nil
      return (resumed, landing)
    }
    resumed.resumeAll()
    if case .stored(let expiry, _) = landing { sweepLater(expiry) }
  }

  @usableFromInline
  enum Departure {
    case answered(CoalescedAnswer<Value>)
    case waits(Flight, CoalescedAnswer<Value>.Source)
  }

  /// Finds the caller an answer or a flight to wait for, which it starts if it leads.
  ///
  /// Not inlined, for the same reason as what it calls.
  @inlinable @inline(never)
  func depart(
    _ key: Key, _ caller: Waiter, priority: TaskPriority?, from failed: Flight?,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) throws -> Departure {
    switch try board(key, caller, priority: priority, from: failed) {
    case .served(let value): return .answered(CoalescedAnswer(value: value, source: .prefetched))
    case .joined(let flight): return .waits(flight, .joined)
    case .leads(let flight):
      guard start(flight, operation) else { return .waits(flight, .led) }
      return .answered(CoalescedAnswer(value: try flight.result!.get(), source: .led))
    }
  }

  /// Returns what the caller gets that has waited for the flight; `nil` if it is to ask again.
  @inlinable @inline(never)
  func answer(
    of flight: Flight, _ caller: Waiter, _ source: CoalescedAnswer<Value>.Source
  ) throws -> CoalescedAnswer<Value>? {
    if let why = takeRejection(of: caller) { throw leaving(flight, caller, why) }
    if flight.isFailedPrefetch { return nil }
    return CoalescedAnswer(value: try flight.result!.get(), source: source)
  }

  @usableFromInline
  func leaving(_ flight: Flight, _ caller: Waiter, _ why: JobRejection) -> any Error {
    // A caller reports that it left; a withdrawal is reported by its cause.
    if why.isOwn { report(.left(why), flight.key, caller.name, flight.number, by: caller) }
    return JobRejection.untyped(why)
  }

  @usableFromInline
  func leave(_ flight: SerialTasks.Flight, _ caller: Waiter, _ why: JobRejection) {
    // Safe because only this coalescer's own flights are waited for with it.
    let flight = unsafeDowncast(flight, to: Flight.self)
    let suspension = state.withLock { state -> Suspension? in
      switch state.leave(caller, flight, why) {
      case .gone: return nil
      case .left: break
      case .lastLeft: caller.handle = flight.handle.take()
      }
      return caller.takeSuspension()
    }
    suspension?.resume()
  }

  @usableFromInline
  var label: String {
    name ?? WaitNode.shortID("TaskCoalescer<\(Key.self), \(Value.self)>", of: ObjectIdentifier(self))
  }

  @inlinable
  func report(
    _ kind: TaskEvent.Kind, _ key: StableKey<Key>, _ job: String?, _ flight: UInt64?, by caller: Waiter? = nil
  ) {
    if onEvent != nil { tell(kind, key, job, flight, by: caller) }
  }

  @usableFromInline
  func tellEnd(of flight: Flight) {
    tell(flight.result?.outcome ?? .failed(CancellationError()), flight.key, flight.name, flight.number)
  }

  @usableFromInline
  func tell(
    _ kind: TaskEvent.Kind, _ key: StableKey<Key>, _ job: String?, _ flight: UInt64?, by caller: Waiter? = nil
  ) {
    // What was decided about the caller is decided: nothing writes there any more.
    reporter?.report(kind, executor: label, keys: key, job, flight, waitingSince: caller?.start ?? WaitStart())
  }
}
