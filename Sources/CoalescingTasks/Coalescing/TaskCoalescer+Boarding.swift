extension TaskCoalescer {
  /// Not inlined: its locals would enlarge the frame of every waiting task.
  @_alwaysEmitIntoClient @inline(never)
  func depart(
    _ key: Key, _ policy: SharingPolicy, _ caller: FlightCaller<Flight>, _ served: inout Value?,
    priority: TaskPriority?,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> Arrival {
    let request = FlightRequest(
      key: StableKey(key), policy: policy, coalescer: ObjectIdentifier(self), coalescerName: name, name: caller.name,
      priority: priority?.rawValue ?? caller.priority, now: clock.now)
    if let why = refusal(of: request) { return refuse(caller, why, of: request.key) }
    switch arrive(request, caller) {
    case .rejected(let why): return refuse(caller, why, of: request.key)
    case .served(let stored):
      report(.served, request.key, caller.name, nil)
      served = stored.value
      return .granted
    case .leads(let flight): return lead(flight, caller, operation)
    case .forced(let flight, let isNew, let tasks, let effects):
      for task in tasks { task.escalate(to: caller.priority) }
      if !isNew {
        defer { carryOut(effects) }
        return join(flight, caller)
      }
      // First, so that the replaced operation is cancelled when this one begins.
      carryOut(effects)
      return lead(flight, caller, operation)
    case .joined(let flight, let task):
      task?.escalate(to: caller.priority)
      return join(flight, caller)
    }
  }

  @_alwaysEmitIntoClient @inline(never)
  func answer(of caller: FlightCaller<Flight>) throws -> CoalescedAnswer<Value> {
    CoalescedAnswer(value: try caller.flight!.answer!.get(), source: caller.leads ? .led : .joined)
  }

  @_alwaysEmitIntoClient @inline(__always)
  func lead(
    _ flight: Flight, _ caller: FlightCaller<Flight>,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> Arrival {
    observers.tell()
    return start(flight, for: caller, operation)
  }

  @_alwaysEmitIntoClient @inline(__always)
  func join(_ flight: Flight, _ caller: FlightCaller<Flight>) -> Arrival {
    if reports { report(.joined, of: flight, caller) }
    observers.tell()
    return .waiting(ahead: 0)
  }

  @_alwaysEmitIntoClient @inline(__always)
  func arrive(_ request: borrowing FlightRequest<Key>, _ caller: FlightCaller<Flight>)
    -> CoalescerState<Key, Value>.ArriveAction
  {
    // Expired results are released after the unlock.
    let (arrival, _) = state.withLock { state in
      let expired = state.shelf.clearIfDue(now: request.now)
      let arrival = state.arrive(request, caller)
      observers.note(state)
      return (arrival, expired)
    }
    return arrival
  }

  @_alwaysEmitIntoClient
  func refusal(of request: borrowing FlightRequest<Key>) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    guard let held = HeldTurn.innermost else { return nil }
    asks(for: request, in: held)
    if request.policy == .supersede { return nil }
    let running = state.withLock { $0.joinable(request) }
    return running.flatMap { WaitGraph.cycle(closedBy: $0) }.map { .deadlock($0) }
  }

  @usableFromInline
  func asks(for request: borrowing FlightRequest<Key>, in held: HeldTurn) {
    held.asks(for: Stake(ObjectIdentifier(self), label: label, keys: [request.key.stakeKey]), job: request.name)
  }

  @usableFromInline
  func refuse(_ caller: Waiter, _ why: JobRejection, of key: StableKey<Key>) -> Arrival {
    report(.rejected(why), key, caller.name, nil, by: caller)
    return .rejected(why)
  }
}
