extension RenewingValue {
  /// Returns `nil` if the value is not valid, or a renewal is due.
  @_alwaysEmitIntoClient @inline(never)
  func fresh() -> Value? {
    let now = clock.now
    return state.withLock { $0.fresh(at: now) }
  }

  /// Returns `nil` if the rejected value is not the newest.
  func renewal(of rejected: Value) -> UInt64? where Value: Equatable {
    guard let newest = state.withLock({ $0.kept }), newest.value == rejected else { return nil }
    return newest.number
  }

  @usableFromInline
  nonisolated(nonsending) func renewed(
    _ policy: SharingPolicy = .join, insteadOf rejected: UInt64? = nil
  ) async throws -> Value {
    let caller = FlightCaller<Renewal<Value>>(priority: Task.currentPriority.rawValue)
    var decided: Result<Value, any Error>?
    let why = await wait(caller) { board(caller, policy, insteadOf: rejected, &decided) }
    if let why { throw JobRejection.untyped(why) }
    if let decided { return try decided.get() }
    return try caller.flight!.answer!.get()
  }
}

extension RenewingValue {
  private func board(
    _ caller: FlightCaller<Renewal<Value>>, _ policy: SharingPolicy, insteadOf rejected: UInt64?,
    _ decided: inout Result<Value, any Error>?
  ) -> Arrival {
    switch arrive(caller, policy, insteadOf: rejected) {
    case .served(let kept): decided = .success(kept.value)
    case .renewsAhead(let kept, let renewal):
      _ = start(renewal, for: nil)
      decided = .success(kept.value)
    case .boards(let arrival):
      defer { observers.tell() }
      return carryOut(arrival, raisingTo: caller.priority) { renewal in
        reportCaller(.joined, renewal.number)
      } start: { renewal in
        start(renewal, for: caller)
      }
    case .rejected(let why):
      report(.rejected(why), nil)
      return .rejected(why)
    case .failed(let error): decided = .failure(error)
    }
    return .granted
  }

  private func arrive(
    _ caller: FlightCaller<Renewal<Value>>, _ policy: SharingPolicy, insteadOf rejected: UInt64?
  ) -> RenewingState<Value>.ArriveAction {
    let seen = state.withLock { $0.kept?.number }
    var request = RenewalRequest(
      owner: owner, policy: policy, priority: caller.priority, rejected: rejected, seen: seen, now: clock.now)
    request.refusal = refusal(policy, asking: owner.stake, at: request.now)
    return state.withLock { [request] state in
      let arrival = state.arrive(request, caller)
      observers.note(state)
      return arrival
    }
  }
}

extension RenewingValue {
  private func start(_ renewal: Renewal<Value>, for caller: FlightCaller<Renewal<Value>>?) -> Arrival {
    let begins = renewal.parking == nil
    if begins { report(.began, renewal.number) }
    let marker = TurnMarker(taskOf: renewal)
    return attach(
      .starting(renewal, marker, now: begins && caller != nil) { await self.fly(renewal, marker) }, in: marker,
      to: renewal, for: caller)
  }

  private nonisolated(nonsending) func fly(_ renewal: Renewal<Value>, _ marker: TurnMarker) async {
    TurnMarker.bindAddress()
    defer { end(renewal) }
    let begins = await begin(renewal)
    if let parking = renewal.parking {
      report(begins ? .began : .rejected(.withdrawn), renewal.number, waitingSince: parking.start)
      if !begins { return marker.end() }
    }
    var result: Result<Renewed<Value>, any Error> = .failure(CancellationError())
    if begins {
      do { result = .success(try await operation(previous)) } catch { result = .failure(error) }
    }
    marker.end()
    report(result.outcome, renewal.number)
    land(renewal, result)
  }

  private var previous: Value? { state.withLock { $0.kept?.value } }

  private func land(_ renewal: Renewal<Value>, _ result: Result<Renewed<Value>, any Error>) {
    let now = clock.now
    carryOut(state.withLock { $0.land(renewal, result, now: now) })
  }

  package func report(_ kind: TaskEvent.Kind, _ number: UInt64?, waitingSince start: WaitStart = WaitStart()) {
    reporter?.report(kind, executor: label, "renewal", number, waitingSince: start)
  }

  /// Reports a caller, which has no name.
  private func reportCaller(_ kind: TaskEvent.Kind, _ number: UInt64, waitingSince start: WaitStart = WaitStart()) {
    reporter?.report(kind, executor: label, nil, number, of: "renewal", waitingSince: start)
  }
}

extension RenewingValue: SuccessionOwner, CompletingFlightOwner {
  @usableFromInline package typealias Boarded = Renewal<Value>
  @usableFromInline package typealias Guest = FlightCaller<Renewal<Value>>
  @usableFromInline package typealias Kept = OwnerOfFlight
  @usableFromInline package typealias Answer = Result<Value, any Error>?

  @usableFromInline
  package func withFlights<Result: Sendable>(_ body: (inout Succession<OwnerOfFlight, Value>) -> Result) -> Result {
    state.withLock { body(&$0.renewals) }
  }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of renewal: Renewal<Value>, _ caller: Guest) {
    reportCaller(kind, renewal.number, waitingSince: locked { caller.start })
  }
}
