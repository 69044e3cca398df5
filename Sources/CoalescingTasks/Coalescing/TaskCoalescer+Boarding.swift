extension TaskCoalescer {
  @usableFromInline
  enum Departure {
    /// The result was already there, or the caller's operation has ended.
    case answered(CoalescedAnswer<Value>)
    case waits(Flight, CoalescedAnswer<Value>.Source)
  }

  /// Returns a result, or the flight that the caller waits for; starts that flight if the caller leads.
  ///
  /// Not inlined: its locals would enlarge the frame of every waiting task.
  @_alwaysEmitIntoClient @inline(never)
  func depart(
    _ key: Key, _ policy: ReloadPolicy, _ caller: Waiter, priority: TaskPriority?,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) throws -> Departure {
    var request = FlightRequest(
      key: StableKey(key), policy: policy, coalescer: ObjectIdentifier(self), coalescerName: name, name: caller.name,
      priority: priority?.rawValue ?? caller.priority)
    if let why = refusal(of: request) { throw refuse(caller, why, of: request.key) }
    switch arrive(&request, caller) {
    case .closed: throw refuse(caller, .closed, of: request.key)
    case .served(let stored):
      report(.served, request.key, caller.name, nil)
      return .answered(CoalescedAnswer(value: stored.value, source: .prefetched))
    case .leads(let flight): return try lead(flight, operation)
    case .forced(let flight, let isNew, let tasks, let effects):
      for task in tasks { task.escalate(to: caller.priority) }
      // Last: cancelling an old flight runs foreign code, which must not delay the new flight.
      defer { carryOut(effects) }
      return isNew ? try lead(flight, operation) : join(flight, caller)
    case .joined(let flight, let task):
      task?.escalate(to: caller.priority)
      return join(flight, caller)
    case .asksForTheTime: preconditionFailure("the request already has the time")
    }
  }

  /// Starts the flight of a caller.
  @_alwaysEmitIntoClient @inline(__always)
  func lead(
    _ flight: Flight, _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) throws -> Departure {
    observers.tell()
    guard start(flight, operation) else { return .waits(flight, .led) }
    return .answered(CoalescedAnswer(value: try flight.kept.result!.get(), source: .led))
  }

  @_alwaysEmitIntoClient @inline(__always)
  func join(_ flight: Flight, _ caller: Waiter) -> Departure {
    if reports { report(.joined, of: flight, caller) }
    observers.tell()
    return .waits(flight, .joined)
  }

  /// Decides what the caller does.
  ///
  /// Reads the clock only if the decision needs it, and outside the lock: it is the user's code.
  @_alwaysEmitIntoClient
  func arrive(
    _ request: inout FlightRequest<Key>, _ caller: Waiter
  ) -> CoalescerState<Key, Value>.Arrival {
    let arrival = decideArrival(request, caller)
    guard case .asksForTheTime = arrival else { return arrival }
    let now = clock.now
    request.now = now
    // Expired results are released after the unlock.
    _ = state.withLock { $0.shelf.clearIfDue(now: now) }
    return decideArrival(request, caller)
  }

  @_alwaysEmitIntoClient @inline(__always)
  func decideArrival(
    _ request: FlightRequest<Key>, _ caller: Waiter
  ) -> CoalescerState<Key, Value>.Arrival {
    state.withLock { state in
      let arrival = state.arrive(request, caller)
      observers.note(state)
      return arrival
    }
  }

  /// Returns why the caller is rejected: its task is cancelled, or waiting would be a deadlock.
  @_alwaysEmitIntoClient
  func refusal(of request: FlightRequest<Key>) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    guard let held = HeldTurn.innermost else { return nil }
    asks(for: request, in: held)
    return request.policy == .supersede ? nil : deadlock(of: request).map { .deadlock($0) }
  }

  @usableFromInline
  func asks(for request: FlightRequest<Key>, in held: HeldTurn) {
    held.asks(for: Stake(ObjectIdentifier(self), label: label, keys: [request.key.stakeKey]), job: request.name)
  }

  /// Returns the cycle that joining would close.
  @_alwaysEmitIntoClient
  func deadlock(of request: FlightRequest<Key>) -> DeadlockError? {
    var request = request
    request.now = clock.now
    guard let running = state.withLock({ $0.joinable(request) }) else { return nil }
    return WaitGraph.cycle(closedBy: running)
  }

  @usableFromInline
  func refuse(_ caller: Waiter, _ why: JobRejection, of key: StableKey<Key>) -> any Error {
    report(.rejected(why), key, caller.name, nil, by: caller)
    return JobRejection.untyped(why)
  }
}
