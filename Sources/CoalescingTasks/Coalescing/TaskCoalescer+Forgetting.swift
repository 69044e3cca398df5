extension TaskCoalescer {
  /// Drops the kept result of the key and makes its running operation unjoinable, in one step.
  ///
  /// Callers that already wait still get their result, which is not kept. O(1).
  ///
  /// The running operation is not cancelled. If it stores its result itself, for example in a cache, it asks ``isResultCurrent``.
  public func invalidate(_ key: Key) {
    let key = StableKey(key)
    carryOut(state.withLock { $0.invalidate(key) })
  }

  /// Does what ``invalidate(_:)`` does for every key, in one step.
  public func invalidateAll() { carryOut(state.withLock { $0.invalidateAll() }) }

  /// Cancels the operation of the key and rejects its callers with `JobRejection.withdrawn`, at once.
  ///
  /// Its result and the kept result are discarded. Later callers start a new operation. O(callers and operations of the key).
  public func cancel(_ key: Key) {
    let key = StableKey(key)
    carryOut(state.withLock { $0.withdraw(key) })
  }

  /// Does what ``cancel(_:)`` does for every key, for example at a log-out.
  ///
  /// After this call, no earlier request is answered, except callers that were already resumed with a result.
  public func cancelAll() { carryOut(state.withLock { $0.withdrawAll() }) }

  /// Whether the result of the operation that runs this code may still be stored.
  ///
  /// For an operation that keeps its result in a cache of yours. Ask under the lock of the cache, and invalidate the
  /// key before you clear the cache:
  ///
  /// ```swift
  /// func profile(of id: User.ID) async throws -> Profile {
  ///   if let known = cache.withLock({ $0[id] }) { return known }
  ///   return try await profiles.value(for: id) { [self] in
  ///     let profile = try await api.profile(of: id)
  ///     cache.withLock { if profiles.isResultCurrent { $0[id] = profile } }
  ///     return profile
  ///   }
  /// }
  ///
  /// func hasChanged(_ id: User.ID) {
  ///   profiles.invalidate(id)
  ///   cache.withLock { $0[id] = nil }
  /// }
  /// ```
  ///
  /// It is `false` after ``invalidate(_:)``, ``cancel(_:)``, ``SharingPolicy/supersede`` and a shutdown whose limit has
  /// passed, after the last caller has left, and when a newer operation of the key has begun. Outside the operations of
  /// this coalescer, and in an unstructured task that one has started, it is always `false`.
  public var isResultCurrent: Bool {
    let node = HeldTurn.node { ($0 as? Flight)?.kept.coalescer == ObjectIdentifier(self) }
    guard let flight = node as? Flight else { return false }
    return state.withLock { _ in flight.phase == .flying && !flight.isDetached }
  }

  /// The numbers of running operations, waiting callers and kept results.
  public var snapshot: CoalescerSnapshot {
    let now = clock.now
    return state.withLock { $0.snapshot(now: now) }
  }

  package var shelved: Int { state.withLock { $0.shelf.count } }
}
