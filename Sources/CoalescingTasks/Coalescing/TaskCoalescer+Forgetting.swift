// MARK: - Invalidating and cancelling

extension TaskCoalescer {
  /// Drops the kept result of the key and makes its running operation unjoinable, in one step.
  ///
  /// Callers that already wait still get their result, which is not kept. O(1).
  ///
  /// The running operation is not cancelled: one that stores its result itself, for example in a cache, stores the old
  /// value after this call. There, call ``cancel(_:)``, and let the operation check `Task.isCancelled` under the lock
  /// of the cache; or load in ``CoalescingTaskExecutor/read(_:name:priority:waitingAtMost:_:)`` and clear the cache in
  /// ``CoalescingTaskExecutor/write(touching:name:waitingAtMost:_:)``.
  public func invalidate(_ key: Key) {
    let key = StableKey(key)
    carryOut(state.withLock { $0.invalidate(key) })
  }

  /// Does what ``invalidate(_:)`` does for every key, in one step.
  public func invalidateAll() { carryOut(state.withLock { $0.invalidateAll() }) }

  /// Cancels the operation of the key and rejects its callers with `JobRejection.withdrawn`, at once.
  ///
  /// Its result and the kept result are discarded. Later callers start a new operation.
  public func cancel(_ key: Key) {
    let key = StableKey(key)
    carryOut(state.withLock { $0.withdraw(key) })
  }

  /// Does what ``cancel(_:)`` does for every key, for example at a log-out.
  ///
  /// After this call, no earlier request is answered, except callers that were already resumed with a result.
  public func cancelAll() { carryOut(state.withLock { $0.withdrawAll() }) }

  /// The numbers of running operations, waiting callers and kept results.
  public var snapshot: CoalescerSnapshot {
    let now = clock.now
    return state.withLock { $0.snapshot(now: now) }
  }

  /// The number of kept results, including expired ones that have not been removed.
  package var shelved: Int { state.withLock { $0.shelf.count } }
}
