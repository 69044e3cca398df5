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
    while true {
      if let why = refusal(key) {
        report(.rejected(why), name, nil)
        throw JobRejection.untyped(why)
      }
      let caller = Waiter(name: name, priority: Task.currentPriority.rawValue)
      switch arrive(key, caller, priority: priority) {
      case .served(let value):
        report(.served, name, nil)
        return .answered(CoalescedAnswer(value: value, source: .prefetched))
      case .leads(let flight): return .leads(flight, caller)
      case .joined(let flight):
        report(.joined, name, flight.number)
        raise(flight, to: caller.priority)
        switch try await landed(flight, caller, isolation: isolation) {
        case .failure where flight.isPrefetch: continue
        case let result: return .answered(CoalescedAnswer(value: try result.get(), source: .joined))
        }
      }
    }
  }

  @inlinable
  func arrive(_ key: Key, _ caller: Waiter, priority: TaskPriority?) -> CoalescerState<Key, Value>.Arrival {
    let now = time.now
    return state.withLock { state in
      state.arrive(key, caller, now: now) {
        Flight(
          key: key, coalescer: self.name, name: caller.name, priority: priority?.rawValue ?? caller.priority, began: now
        )
      }
    }
  }

  /// Why the caller is turned away: its task is cancelled, or the flight that it would join waits for the caller's own.
  @inlinable
  func refusal(_ key: Key) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    guard HeldTurn.innermost != nil else { return nil }
    let now = time.now
    guard let running = state.withLock({ $0.joinable(key, now: now) }) else { return nil }
    return HeldTurn.cycle(closedBy: running).map { .deadlock($0) }
  }
}
