extension Reloader {
  func makeRequest(for reason: Reason) -> ReloadRequest<Reason> {
    ReloadRequest(
      owner: owner, reason: reason, policy: reason.policy,
      name: String(describing: reason), priority: Task.currentPriority.rawValue)
  }

  func ask(_ request: borrowing ReloadRequest<Reason>, _ caller: FlightCaller<Load>?) -> Arrival {
    defer { observers.tell() }
    switch decideArrival(request, caller) {
    case .boards(let arrival, _):
      return carryOut(arrival, raisingTo: request.priority) { load in
        report(.joined, request.name, load.number, of: load.name)
      } start: { load in
        start(load)
        return .waiting(ahead: 0)
      }
    case .rejected(let why):
      report(.rejected(why), request.name, nil)
      return .rejected(why)
    }
  }

  private func decideArrival(
    _ request: borrowing ReloadRequest<Reason>, _ caller: FlightCaller<Load>?
  ) -> ReloaderState<Reason, Value>.AskAction {
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
    guard await begin(load) else {
      marker.end()
      report(.rejected(.withdrawn), load.name, load.number, waitingSince: load.parking!.start)
      return
    }
    // Unchanged since the load has begun.
    let reason = load.kept.reason.value
    let name = reports ? String(describing: reason) : nil
    report(.began, name, load.number, waitingSince: load.parking!.start)
    let result: Result<Value, any Error>
    do { result = .success(try await operation(reason)) } catch { result = .failure(error) }
    load.answer = result
    marker.end()
    report(result.outcome, name, load.number)
    switch result {
    case .failure: carryOut(state.withLock { $0.fail(load) })
    case .success(let value):
      while await land(load, value, isolation: apply.isolation) == .wait {
        await Suspension.park { suspension in locked { load.parking!.park(suspension) } }
      }
    }
  }

  /// Decides in the isolation of `apply`, so that nothing there can run between the decision and `apply`.
  private func land(
    _ load: Load, _ value: Value, isolation: isolated (any Actor)?
  ) async -> ReloaderState<Reason, Value>.LandAction {
    let landing = state.withLock { $0.land(load) }
    guard landing == .now else { return landing }
    await apply(value)
    carryOut(state.withLock { $0.landed(load) })
    return .now
  }

  package func report(
    _ kind: TaskEvent.Kind, _ job: String?, _ place: Place?, of operation: String? = nil,
    waitingSince start: WaitStart = WaitStart()
  ) {
    reporter?.report(kind, executor: label, job, place, of: operation, waitingSince: start)
  }
}

extension Reloader: SuccessionOwner {
  @usableFromInline package typealias Boarded = ReloadFlight<Reason, Value>
  @usableFromInline package typealias Guest = FlightCaller<ReloadFlight<Reason, Value>>
  @usableFromInline package typealias Kept = OwnerAndReason<Reason>
  @usableFromInline package typealias Answer = Result<Value, any Error>?

  @usableFromInline
  package func withFlights<Result: Sendable>(
    _ body: (inout Succession<OwnerAndReason<Reason>, Value>) -> Result
  ) -> Result { state.withLock { body(&$0.loads) } }

  @usableFromInline
  package func report(_ kind: TaskEvent.Kind, of load: ReloadFlight<Reason, Value>, _ caller: Guest) {
    report(kind, caller.name, load.number, of: load.name, waitingSince: locked { caller.start })
  }
}
