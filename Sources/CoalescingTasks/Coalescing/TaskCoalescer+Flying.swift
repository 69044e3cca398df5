extension TaskCoalescer: FlightOwner {

  @_alwaysEmitIntoClient
  package func locked<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  /// Starts the operation, at once where the system can; returns whether it has ended.
  @_alwaysEmitIntoClient
  func start(_ flight: Flight, _ operation: sending @escaping @isolated(any) () async throws -> Value) -> Bool {
    report(.began, flight.kept.key, flight.name, flight.kept.number)
    let marker = TurnMarker(taskOf: flight)
    return attach(.starting(flight, marker) { await self.fly(flight, marker, operation) }, to: flight)
  }

  @_alwaysEmitIntoClient
  nonisolated(nonsending) func fly(
    _ flight: Flight, _ marker: TurnMarker, _ operation: @isolated(any) () async throws -> Value
  ) async {
    TurnMarker.bindAddress()
    if state.withLock({ _ in flight.begin() }) {
      do { flight.kept.result = .success(try await operation()) } catch { flight.kept.result = .failure(error) }
    }
    marker.end()
    if reports { tellEnd(of: flight) }
    land(flight)
  }

  @_alwaysEmitIntoClient @inline(never)
  func land(_ flight: Flight) {
    let now = flight.kept.isPrefetch ? clock.now : nil
    let (resumed, landing) = state.withLock { state -> (Few<Suspension>, CoalescerState<Key, Value>.Landing) in
      var resumed = Few<Suspension>.none
      let landing = state.land(flight, now: now) { resumed.append(waiter: $0) }
      flight.handle = nil
      return (resumed, landing)
    }
    resumed.resumeAll()
    if case .stored(let expiry, _) = landing { sweepLater(expiry) }
  }

  /// Returns what the caller gets that has waited for the flight; `nil` if it is to ask again.
  @_alwaysEmitIntoClient @inline(never)
  func answer(
    of flight: Flight, _ caller: Waiter, _ source: CoalescedAnswer<Value>.Source
  ) throws -> CoalescedAnswer<Value>? {
    if let why = takeRejection(of: caller, from: flight) { throw JobRejection.untyped(why) }
    if CoalescerState.isFailedPrefetch(flight) { return nil }
    return CoalescedAnswer(value: try flight.kept.result!.get(), source: source)
  }

  @usableFromInline
  package func leave(_ flight: AnyFlight, _ caller: Waiter, _ why: JobRejection) {
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

  @_alwaysEmitIntoClient package var reports: Bool { reporter != nil }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of flight: AnyFlight, _ caller: Waiter) {
    // Safe for the same reason.
    let flight = unsafeDowncast(flight, to: Flight.self)
    tell(kind, flight.kept.key, caller.name, flight.kept.number, waitingSince: locked { caller.start })
  }

  @usableFromInline
  package var label: String {
    name ?? WaitNode.shortID("TaskCoalescer<\(Key.self), \(Value.self)>", of: ObjectIdentifier(self))
  }

  @_alwaysEmitIntoClient
  package func report(
    _ kind: TaskEvent.Kind, _ key: StableKey<Key>, _ job: String?, _ flight: UInt64?, by caller: Waiter? = nil
  ) {
    // What was decided about the caller is decided: nothing writes there any more.
    if reports { tell(kind, key, job, flight, waitingSince: caller?.start ?? WaitStart()) }
  }

  @usableFromInline
  func tellEnd(of flight: Flight) {
    tell(flight.kept.result?.outcome ?? .failed(CancellationError()), flight.kept.key, flight.name, flight.kept.number)
  }

  @usableFromInline
  func tell(
    _ kind: TaskEvent.Kind, _ key: StableKey<Key>, _ job: String?, _ flight: UInt64?,
    waitingSince start: WaitStart = WaitStart()
  ) {
    reporter?.report(kind, executor: label, keys: key, job, flight, waitingSince: start)
  }
}
