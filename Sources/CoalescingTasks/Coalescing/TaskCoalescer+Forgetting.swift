// MARK: - Forgetting

extension TaskCoalescer {
  /// Forgets the result kept for the key, and lets no later caller join what runs for the key, in one step.
  ///
  /// Callers that already wait still get their result; it is not kept. O(1).
  ///
  /// - Parameter key: The key whose value has changed.
  public func invalidate(_ key: Key) {
    let key = StableKey(key)
    carryOut(state.withLock { $0.invalidate(key) })
  }

  /// Forgets the results kept for all keys, and lets no later caller join what runs, in one step.
  public func invalidateAll() { carryOut(state.withLock { $0.invalidateAll() }) }

  /// Cancels what runs for the key, and rejects its callers.
  ///
  /// The callers are rejected with ``JobRejection/withdrawn`` at once. The operation is cancelled, and if it returns a result
  /// all the same, the result is discarded. The result kept for the key is forgotten. Later callers start a new operation.
  ///
  /// - Parameter key: The key whose value is no longer wanted.
  public func cancel(_ key: Key) {
    let key = StableKey(key)
    carryOut(state.withLock { $0.withdraw(key) })
  }

  /// Cancels what runs for every key, and rejects its callers, as when logging out.
  ///
  /// After this call, no result is delivered that was requested before it and was not already on its way: a caller that has
  /// been resumed with its result still gets it.
  public func cancelAll() { carryOut(state.withLock { $0.withdrawAll() }) }

  /// The number of running operations, waiting callers and kept results, at one moment.
  ///
  /// O(kept results).
  public var snapshot: CoalescerSnapshot {
    let now = clock.now
    return state.withLock { $0.snapshot(now: now) }
  }

  /// The number of results on the shelf, including those that have expired and not been cleared away.
  package var shelved: Int { state.withLock { $0.shelf.count } }
}
