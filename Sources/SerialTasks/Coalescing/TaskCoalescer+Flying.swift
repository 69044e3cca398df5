extension TaskCoalescer {
  /// Starts the operation, at once where the system can.
  @inlinable
  func start(
    _ flight: Flight, _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) {
    report(.began, flight.name, flight.number)
    // Said, not inherited: a task inherits what its parent began with, and not what that was raised to since.
    let priority = TaskPriority(rawValue: flight.priority)
    let handle = Task<Void, Never>.startingNow(name: flight.name, priority: priority) {
      await self.fly(flight, operation)
    }
    let (phase, raisedTo) = state.withLock { _ in
      if flight.phase == .flying { flight.handle = handle }
      return (flight.phase, flight.raisedTo)
    }
    if phase == .abandoned { handle.cancel() }
    // By those who joined before there was a handle.
    if phase == .flying, raisedTo > flight.priority { handle.raise(to: raisedTo) }
  }

  @inlinable
  func fly(_ flight: Flight, _ operation: @isolated(any) () async throws -> Value) async {
    var result: Result<Value, any Error>?
    let marker = TurnMarker(holder: flight)
    await TurnMarker.key.withValue(marker) {
      TurnMarker.settle()
      do { result = .success(try await operation()) } catch { result = .failure(error) }
      marker.end()
    }
    flight.result = result
    report(result!.outcome, flight.name, flight.number)
    land(flight)
  }

  @inlinable
  func land(_ flight: Flight) {
    let now = time.now
    let (wake, landing) = state.withLock { state -> (Wake, CoalescerState<Key, Value>.Landing) in
      var wake = Wake.nobody
      let landing = state.land(flight, now: now) { wake.add($0) }
      flight.handle = nil
      return (wake, landing)
    }
    wake.carryOut()
    if case .stored(let expiry, _) = landing { sweepLater(expiry) }
  }

  /// Waits for the flight's result, as a caller that leaves when its task is cancelled.
  @inlinable
  func landed(
    _ flight: Flight, _ caller: Waiter, isolation: isolated (any Actor)?
  ) async throws -> Result<Value, any Error> {
    if state.withLock({ _ in flight.phase == .landed }) { return flight.result! }
    await Suspension.leavable(isolation: isolation, leave: { self.leave(flight, caller) }) {
      await Suspension.park(isolation: isolation) { self.park(caller, $0) }
    }
    if let why = state.withLock({ _ in caller.rejection }) {
      // A caller tells of its own leaving; of a withdrawal, whoever caused it.
      if case .cancelled = why { report(.rejected(why), caller.name, flight.number) }
      throw JobRejection.untyped(why)
    }
    return flight.result!
  }

  @inlinable
  func park(_ caller: Waiter, _ suspension: Suspension) -> Bool {
    state.withLock { _ in
      guard caller.isWaiting else { return false }
      caller.suspension = suspension
      return true
    }
  }

  @inlinable
  func leave(_ flight: Flight, _ caller: Waiter) {
    let (suspension, abandoned) = state.withLock { state -> (Suspension?, Task<Void, Never>?) in
      switch state.leave(caller, flight) {
      case .gone: (nil, nil)
      case .left: (caller.takeSuspension(), nil)
      case .lastLeft: (caller.takeSuspension(), flight.handle.take())
      }
    }
    abandoned?.cancel()
    suspension?.resume()
  }

  /// Whoever joins a flight should not wait for an operation of a lower priority than its own.
  @inlinable
  func raise(_ flight: Flight, to priority: UInt8) {
    let handle = state.withLock { _ -> Task<Void, Never>? in
      guard flight.raisedTo < priority else { return nil }
      flight.raisedTo = priority
      return flight.handle
    }
    if let handle { handle.raise(to: priority) }
  }

  var label: String { name ?? "TaskCoalescer<\(Key.self), \(Value.self)>" }

  @inlinable
  func report(_ kind: TaskEvent.Kind, _ job: String?, _ flight: UInt64?) {
    if onEvent != nil { tell(kind, job, flight) }
  }

  @usableFromInline
  func tell(_ kind: TaskEvent.Kind, _ job: String?, _ flight: UInt64?) {
    onEvent?(TaskEvent(kind: kind, executor: label, job: job, place: flight))
  }
}
