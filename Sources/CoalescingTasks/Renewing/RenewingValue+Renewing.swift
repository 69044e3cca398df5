extension RenewingValue {
  /// Returns the value if it is valid and no renewal is due.
  @_alwaysEmitIntoClient @inline(never)
  func fresh() -> Value? {
    let now = clock.now
    return state.withLock { $0.fresh(at: now) }
  }

  /// Returns the renewal that returned the rejected value, if that is the newest.
  func renewal(of rejected: Value) -> UInt64? where Value: Equatable {
    guard let newest = state.withLock({ $0.kept }), newest.value == rejected else { return nil }
    return newest.number
  }

  /// Returns a value that was not rejected; waits for a renewal if there is none.
  @usableFromInline
  nonisolated(nonsending) func renewed(insteadOf rejected: UInt64? = nil) async throws -> Value {
    let caller = FlightCaller(priority: Task.currentPriority.rawValue)
    var decided: Result<Value, any Error>?
    let why = await wait(caller) { board(caller, insteadOf: rejected, &decided) }
    if let why { throw JobRejection.untyped(why) }
    if let decided { return try decided.get() }
    // Safe because callers wait for this value's own renewals only.
    return try unsafeDowncast(caller.flight!, to: Renewal<Value>.self).answer!.get()
  }
}

// MARK: - Boarding

extension RenewingValue {
  /// Finds what the caller gets at once, or boards a renewal, and starts it if it is new.
  private func board(
    _ caller: FlightCaller, insteadOf rejected: UInt64?, _ decided: inout Result<Value, any Error>?
  ) -> Arrival {
    switch arrive(caller, insteadOf: rejected) {
    case .served(let value): decided = .success(value)
    case .renewsAhead(let value, let renewal):
      _ = start(renewal, for: nil)
      decided = .success(value)
    case .joined(let renewal, let task):
      task?.escalate(to: caller.priority)
      reportCaller(.joined, renewal.number)
      observers.tell()
      return .waiting(ahead: 0)
    case .leads(let renewal):
      observers.tell()
      return start(renewal, for: caller)
    case .rejected(let why):
      report(.rejected(why), nil)
      return .rejected(why)
    case .failed(let error): decided = .failure(error)
    case .asksForTheTime: preconditionFailure("the clock was already read again")
    }
    return .granted
  }

  /// Decides what the caller does.
  ///
  /// Reads the clock outside the lock, because it is the user's code.
  private func arrive(_ caller: FlightCaller, insteadOf rejected: UInt64?) -> RenewingState<Value>.Arrival {
    var request = RenewalRequest(
      owner: owner, priority: caller.priority, rejected: rejected, now: clock.now)
    request.refusal = refusal(at: request.now)
    while true {
      let arrival = state.withLock { [request] state in
        let arrival = state.arrive(request, caller)
        observers.note(state)
        return arrival
      }
      guard case .asksForTheTime(let seen) = arrival else { return arrival }
      request.seen = seen
      request.now = clock.now
    }
  }

  /// Returns why the caller must not wait: its task is cancelled, or waiting would be a deadlock.
  private func refusal(at now: Duration) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    guard let held = HeldTurn.innermost else { return nil }
    held.asks(for: owner.stake)
    let own = HeldTurn.node { ($0 as? Renewal<Value>)?.kept.id == ObjectIdentifier(self) } as? Renewal<Value>
    guard let renewal = own ?? state.withLock({ $0.joinable(at: now) }) else { return nil }
    return WaitGraph.cycle(closedBy: renewal).map { .deadlock($0) }
  }
}

// MARK: - Renewing

extension RenewingValue {
  /// Starts the renewal, at once if a caller waits for it; returns whether that still has to wait.
  private func start(_ renewal: Renewal<Value>, for caller: FlightCaller?) -> Arrival {
    report(.began, renewal.number)
    let marker = TurnMarker(taskOf: renewal)
    return attach(
      .starting(renewal, marker, now: caller != nil) { await self.fly(renewal, marker) }, in: marker, to: renewal,
      for: caller)
  }

  private nonisolated(nonsending) func fly(_ renewal: Renewal<Value>, _ marker: TurnMarker) async {
    TurnMarker.bindAddress()
    var result: Result<Renewed<Value>, any Error> = .failure(CancellationError())
    if case .run(let previous) = begin(renewal) {
      do { result = .success(try await operation(previous)) } catch { result = .failure(error) }
    }
    marker.end()
    report(result.outcome, renewal.number)
    land(renewal, result)
    end(renewal)
  }

  /// Not inlined into an async function: see ``Lock``.
  @inline(never)
  private func end(_ renewal: Renewal<Value>) { state.withLock { $0.over(renewal) }.resumed.resumeAll() }

  private func begin(_ renewal: Renewal<Value>) -> RenewingState<Value>.Beginning {
    let task = TaskReference.current
    return state.withLock { $0.begin(renewal, in: task) }
  }

  private func land(_ renewal: Renewal<Value>, _ result: Result<Renewed<Value>, any Error>) {
    let now = clock.now
    carryOut(state.withLock { $0.land(renewal, result, now: now) })
  }

  @usableFromInline package var label: String { owner.label }

  private var owner: OwnerOfFlight { OwnerOfFlight(self, named: name) }

  package func report(_ kind: TaskEvent.Kind, _ number: UInt64?, waitingSince start: WaitStart = WaitStart()) {
    reporter?.report(kind, executor: label, "renewal", number, waitingSince: start)
  }

  /// Reports what a caller does, which has no name.
  private func reportCaller(_ kind: TaskEvent.Kind, _ number: UInt64, waitingSince start: WaitStart = WaitStart()) {
    reporter?.report(kind, executor: label, nil, number, of: "renewal", waitingSince: start)
  }
}

extension RenewingValue: FlightOwner {

  @usableFromInline
  package func locked<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  @usableFromInline
  package func leave(_ caller: Waiter, _ why: JobRejection) {
    // Safe because only such callers wait for a renewal.
    state.withLock { $0.leave(FlightCaller.cast(caller), why) }.carryOut()
  }

  @usableFromInline package var reports: Bool { reporter != nil }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of flight: AnyFlight, _ caller: Waiter) {
    let renewal = unsafeDowncast(flight, to: Renewal<Value>.self)
    reportCaller(kind, renewal.number, waitingSince: locked { caller.start })
  }
}
