extension TaskCoalescer {
  @usableFromInline
  enum Boarding {
    case answered(CoalescedAnswer<Value>)
    /// The flight is the caller's to start.
    case leads(Flight, Waiter)
  }

  /// Finds the caller an answer, or a flight to lead.
  ///
  /// A prefetch that fails is none of its callers' doing: they come again, and one of them leads with its own operation.
  @inlinable
  func board(
    _ key: Key, name: String?, priority: TaskPriority?, isolation: isolated (any Actor)?
  ) async throws -> Boarding {
    let caller = Waiter(name: name, priority: Task.currentPriority.rawValue)
    let request = FlightRequest(
      key: key, coalescer: identity, name: name, priority: priority?.rawValue ?? caller.priority)
    var failed: Flight?
    while true {
      if let why = refusal(of: request) { throw refuse(caller, why, from: failed) }
      switch arrive(request, caller, from: failed) {
      case .withdrawn: throw refuse(caller, .withdrawn, from: nil)
      case .served(let stored):
        report(.served, name, nil)
        return .answered(CoalescedAnswer(value: stored.value, source: .prefetched))
      case .leads(let flight): return .leads(flight, caller)
      case .joined(let flight, let task):
        task?.raise(to: caller.priority)
        report(.joined, name, flight.number)
        if onEvent != nil { watch(flight, caller) }
        switch try await result(of: flight, caller, isolation: isolation) {
        case .failure where flight.isPrefetch: failed = flight
        case let result: return .answered(CoalescedAnswer(value: try result.get(), source: .joined))
        }
      case .asksForTheTime: preconditionFailure("a request that has the time does not ask for it")
      }
    }
  }

  @usableFromInline
  func watch(_ flight: Flight, _ caller: Waiter) {
    watch(flight, caller) { [weak self, name = caller.name, number = flight.number] in self?.tell($0, name, number) }
  }

  /// Reads the clock only for those who need it, and never under the lock, for it may be anybody's.
  @inlinable
  func arrive(
    _ request: FlightRequest<Key>, _ caller: Waiter, from failed: Flight?
  ) -> CoalescerState<Key, Value>.Arrival {
    let arrival = state.withLock { $0.arrive(request, caller, from: failed) }
    guard case .asksForTheTime = arrival else { return arrival }
    var request = request
    request.now = time.now
    return state.withLock { $0.arrive(request, caller, from: failed) }
  }

  /// Why the caller is turned away: its task is cancelled, or the flight that it would join waits for the caller's own.
  @inlinable
  func refusal(of request: FlightRequest<Key>) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    return HeldTurn.innermost == nil ? nil : deadlock(of: request).map { .deadlock($0) }
  }

  /// The cycle that the caller would close if it joined.
  @inlinable
  func deadlock(of request: FlightRequest<Key>) -> DeadlockError? {
    var request = request
    request.now = time.now
    guard let running = state.withLock({ $0.joinable(request) }) else { return nil }
    return WaitGraph.cycle(closedBy: running)
  }

  /// Turns the caller away, or finds that somebody has withdrawn it since a prefetch failed it.
  @usableFromInline
  func refuse(_ caller: Waiter, _ why: JobRejection, from failed: Flight?) -> any Error {
    let isWithdrawn = failed.map { failed in !state.withLock { $0.comeBack(caller, from: failed) } } ?? false
    let why = isWithdrawn ? .withdrawn : why
    report(.rejected(why), caller.name, nil)
    return JobRejection.untyped(why)
  }
}
