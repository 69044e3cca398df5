// MARK: - Forgetting

extension TaskCoalescer {
  /// Forgets what is kept for the key, and lets no later caller join what runs for it: in one step.
  ///
  /// Those who wait already still get their answer; nothing of it is kept. O(1).
  ///
  /// - Parameter key: What has changed.
  public func invalidate(_ key: Key) { state.withLock { $0.invalidate(key) } }

  /// The same for every key.
  public func invalidateAll() { state.withLock { $0.invalidateAll() } }

  /// Ends what runs for the key.
  ///
  /// Its callers are rejected ``JobRejection/withdrawn`` at once, its operation is cancelled, and what it returns all the same
  /// goes nowhere. What is kept for the key is forgotten. Later callers start afresh.
  ///
  /// - Parameter key: What is not wanted any more.
  /// - Returns: Whether something ran.
  @discardableResult
  public func cancel(_ key: Key) -> Bool {
    let withdrawals = state.withLock { $0.withdraw(key).map(Self.collect) }
    carryOut(withdrawals)
    return !withdrawals.isEmpty
  }

  /// The same for every key: the log-out.
  ///
  /// After it nothing of what was asked for before it reaches a caller.
  public func cancelAll() { carryOut(state.withLock { $0.withdrawAll().map(Self.collect) }) }

  /// How much runs, waits and is kept, at one moment.
  ///
  /// O(what is kept).
  public var snapshot: CoalescerSnapshot {
    let now = time.now
    return state.withLock { $0.snapshot(now: now) }
  }

  /// How many results lie on the shelf, those that have expired and not been cleared away included.
  package var shelved: Int { state.withLock { $0.shelf.count } }

  private struct Withdrawal: Sendable {
    let flight: Flight
    let operation: Task<Void, Never>?
    let suspensions: [Suspension]
    let callers: [String?]
  }

  private static func collect(_ abandoned: (flight: Flight, waiters: [Waiter])) -> Withdrawal {
    Withdrawal(
      flight: abandoned.flight, operation: abandoned.flight.handle.take(),
      suspensions: abandoned.waiters.compactMap { $0.takeSuspension() }, callers: abandoned.waiters.map(\.name))
  }

  private func carryOut(_ withdrawals: [Withdrawal]) {
    for withdrawal in withdrawals {
      withdrawal.operation?.cancel()
      for name in withdrawal.callers { report(.rejected(.withdrawn), name, withdrawal.flight.number) }
      for suspension in withdrawal.suspensions { suspension.resume() }
    }
  }
}
