extension Reloader {
  func makeRequest(for reason: Reason) -> ReloadRequest<Reason> {
    ReloadRequest(
      owner: owner, reason: reason, policy: reason.policy,
      name: String(describing: reason), priority: Task.currentPriority.rawValue)
  }

  /// Joins or begins a load, and starts it if it is new.
  func ask(_ request: ReloadRequest<Reason>, _ caller: FlightCaller?) -> Arrival {
    defer { observers.tell() }
    switch decideArrival(request, caller) {
    case .joins(let load, let task):
      task?.escalate(to: request.priority)
      report(.joined, request.name, load.number, of: load.name)
    case .merges(let load, let tasks, _):
      for task in tasks { task.escalate(to: request.priority) }
      report(.joined, request.name, load.number, of: load.name)
    case .follows(let load, let task):
      task?.escalate(to: request.priority)
      beginWait(load, request.name)
      start(load)
    case .begins(let load, let effects):
      // First: when the load begins, those that it replaces have been cancelled.
      carryOut(effects)
      start(load)
    case .rejected(let why):
      report(.rejected(why), request.name, nil)
      return .rejected(why)
    }
    return .waiting(ahead: 0)
  }

  private func decideArrival(
    _ request: ReloadRequest<Reason>, _ caller: FlightCaller?
  ) -> ReloaderState<Reason, Value>.Arrival {
    state.withLock { state in
      let arrival = state.ask(request, caller)
      observers.note(state)
      return arrival
    }
  }

  private func start(_ load: Load) {
    let marker = TurnMarker(taskOf: load)
    _ = attach(.starting(load, marker, now: false) { await self.fly(load, marker) }, in: marker, to: load)
  }

  private func fly(_ load: Load, _ marker: TurnMarker) async {
    TurnMarker.bindAddress()
    defer { end(load) }
    guard let reason = await begin(load) else {
      marker.end()
      report(.rejected(.withdrawn), load.name, load.number, waitingSince: load.parking!.start)
      return
    }
    let name = reports ? String(describing: reason) : nil
    noteBegin(of: load)
    report(.began, name, load.number, waitingSince: load.parking!.start)
    let result: Result<Value, any Error>
    do { result = .success(try await operation(reason)) } catch { result = .failure(error) }
    load.answer = result
    marker.end()
    report(result.outcome, name, load.number)
    switch result {
    case .failure: carryOut(state.withLock { $0.fail(load) })
    case .success(let value):
      while await land(load, value, isolation: apply.isolation) == .wait { await parkTask(of: load) }
    }
  }

  /// Not inlined into an async function: see ``Lock``.
  @inline(never)
  private func end(_ load: Load) { state.withLock { $0.over(load) }.resumed.resumeAll() }

  /// Waits until the load may begin; returns its reason, or `nil` if no caller wants it any more.
  private func begin(_ load: Load) async -> Reason? {
    while true {
      switch decideBeginning(of: load) {
      case .run(let reason): return reason
      case .gone: return nil
      case .wait: await parkTask(of: load)
      }
    }
  }

  /// Not inlined into an async function: see ``Lock``.
  @inline(never)
  private func decideBeginning(of load: Load) -> ReloaderState<Reason, Value>.Beginning {
    let task = TaskReference.current
    return state.withLock { $0.begin(load, in: task) }
  }

  /// Decides whether the result lands, in the isolation of `apply`, so that nothing in that isolation can run between the
  /// decision and `apply`.
  private func land(
    _ load: Load, _ value: Value, isolation: isolated (any Actor)?
  ) async -> ReloaderState<Reason, Value>.Landing {
    let landing = state.withLock { $0.land(load) }
    guard landing == .now else { return landing }
    await apply(value)
    carryOut(state.withLock { $0.landed(load) })
    return .now
  }

  private func parkTask(of load: Load) async {
    await Suspension.park { suspension in locked { load.parking!.park(suspension) } }
  }

  @usableFromInline package var label: String {
    owner.label
  }

  private var owner: OwnerOfFlight { OwnerOfFlight(self, named: name) }

  package func report(
    _ kind: TaskEvent.Kind, _ job: String?, _ place: Place?, of operation: String? = nil,
    waitingSince start: WaitStart = WaitStart()
  ) {
    reporter?.report(kind, executor: label, job, place, of: operation, waitingSince: start)
  }
}

// MARK: - Waiting

extension Reloader: FlightOwner {

  @usableFromInline
  package func locked<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  /// Removes the caller from its load, which may have replaced the load for which it first waited.
  @usableFromInline
  package func leave(_ caller: Waiter, _ why: JobRejection) {
    // Safe because only such callers wait for loads, here and below.
    carryOut(state.withLock { $0.leave(FlightCaller.cast(caller), why) })
  }

  @usableFromInline
  package func blockers(of caller: Waiter) -> Blockers {
    state.withLock { $0.blockers(of: FlightCaller.cast(caller)) }
  }

  @usableFromInline package var reports: Bool { reporter != nil }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of flight: AnyFlight, _ caller: Waiter) {
    let load = unsafeDowncast(flight, to: Load.self)
    report(kind, caller.name, load.number, of: load.name, waitingSince: locked { caller.start })
  }

  /// Returns why the caller is rejected: its task is cancelled, or waiting would be a deadlock.
  ///
  /// Called before the request: a rejected caller must not supersede a load.
  func refusal(of request: ReloadRequest<Reason>) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    guard let held = HeldTurn.innermost else { return nil }
    held.asks(for: request.owner.stake, job: request.name)
    let own = HeldTurn.node { ($0 as? Load)?.kept.owner.id == ObjectIdentifier(self) } as? Load
    let inTheWay = request.policy == .supersede ? nil : state.withLock { $0.running }
    guard let load = own ?? inTheWay else { return nil }
    return WaitGraph.cycle(closedBy: load).map { .deadlock($0) }
  }
}

extension ReloaderState {
  /// Returns the loads that must end before the caller resumes: its own load, or the load ahead of that.
  package func blockers(of caller: FlightCaller) -> Blockers {
    guard caller.isWaiting, let load = caller.flight else { return .none }
    // A result that is being applied also blocks it, but never waits.
    guard load === trailing else { return .all([load]) }
    return .all(loading.map { [$0] } ?? [])
  }
}
