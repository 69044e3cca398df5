// MARK: - Forgetting

extension TaskCoalescer {
  /// Forgets what is kept for the key, and lets no later caller join what runs for it: in one step.
  ///
  /// Those who wait already still get their answer; nothing of it is kept. O(1).
  ///
  /// - Parameter key: What has changed.
  public func invalidate(_ key: Key) {
    let key = StableKey(key)
    _ = state.withLock { $0.invalidate(key) }
  }

  /// The same for every key.
  public func invalidateAll() { _ = state.withLock { $0.invalidateAll() } }

  /// Ends what runs for the key.
  ///
  /// Its callers are rejected ``JobRejection/withdrawn`` at once, its operation is cancelled, and what it returns all the same
  /// goes nowhere. What is kept for the key is forgotten. Later callers start afresh.
  ///
  /// - Parameter key: What is not wanted any more.
  /// - Returns: Whether something ran.
  @discardableResult
  public func cancel(_ key: Key) -> Bool {
    let key = StableKey(key)
    let withdrawal = state.withLock { Withdrawal($0.withdraw(key)) }
    carryOut(withdrawal)
    return !withdrawal.flights.isEmpty
  }

  /// The same for every key: the log-out.
  ///
  /// After it nothing of what was asked for before it reaches a caller.
  public func cancelAll() { carryOut(state.withLock { Withdrawal($0.withdrawAll()) }) }

  /// How much runs, waits and is kept, at one moment.
  ///
  /// O(what is kept).
  public var snapshot: CoalescerSnapshot {
    let now = time.now
    return state.withLock { $0.snapshot(now: now) }
  }

  /// How many results lie on the shelf, those that have expired and not been cleared away included.
  package var shelved: Int { state.withLock { $0.shelf.count } }

  /// What a withdrawal asks for, taken out of flights and callers under the lock and carried out after it.
  private struct Withdrawal: Sendable {
    struct Ended: Sendable {
      let flight: Flight
      let operation: Task<Void, Never>?
      let suspensions: [Suspension]
      let callers: [String?]
    }

    let flights: [Ended]
    private let gone: [PrefetchShelf<Key, Value>.Stored]

    init(_ withdrawal: CoalescerState<Key, Value>.Withdrawal) {
      gone = withdrawal.gone
      flights = withdrawal.flights.map { flight, waiters in
        Ended(
          flight: flight, operation: flight.handle.take(), suspensions: waiters.compactMap { $0.takeSuspension() },
          callers: waiters.map(\.name))
      }
    }
  }

  private func carryOut(_ withdrawal: Withdrawal) {
    for ended in withdrawal.flights {
      for name in ended.callers { report(.left(.withdrawn), name, ended.flight.number) }
      for suspension in ended.suspensions { suspension.resume() }
    }
    // Last, for what an operation does when it is cancelled may take its time.
    for ended in withdrawal.flights { ended.operation?.cancel() }
  }
}
