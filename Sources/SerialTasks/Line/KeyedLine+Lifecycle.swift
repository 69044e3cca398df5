// What is asked or done for one key.

extension KeyedLine {
  /// Returns the queue of the key, if a job touches it.
  private func queue(_ key: StableKey<Key>, _ state: inout LineState) -> KeyQueue? {
    keys.settle(.one(key), &state)
    return keys.queues[key]
  }

  func withdrawAll(of key: Key) {
    let key = StableKey(key)
    if let withdrawal = locked({ state in queue(key, &state).map { state.withdraw(from: $0) } }) {
      carryOut(withdrawal)
    }
  }

  nonisolated(nonsending) func drain(_ key: Key) async -> JobRejection? {
    let stable = StableKey(key)
    guard let waiter = drainer({ queue(stable, &$0).map { $0 } }) else { return nil }
    return await drain(waiter, label: label(["\(key)"]))
  }

  /// Returns whether nothing waits or runs, for the key or at all, and the condition holds at the same moment; asked under the
  /// lock.
  ///
  /// Not inlined into async functions, as ``Lock`` asks for.
  @inline(never)
  package func isIdle(_ key: StableKey<Key>?, while condition: () -> Bool = { true }) -> Bool {
    locked { state in
      state.settle()
      return (key.map { queue($0, &state)?.isIdle ?? true } ?? state.isIdle) && condition()
    }
  }

  package func snapshot(of key: StableKey<Key>) -> ExecutorSnapshot {
    locked { state in
      let queue = queue(key, &state)
      let holder = queue?.places.first.flatMap { $0.claimant.isWaiting ? nil : $0.claimant }
      return ExecutorSnapshot(
        waiting: queue?.waiting ?? 0, running: holder == nil ? 0 : 1, runningJob: holder?.name,
        isPaused: state.isPaused, isClosed: state.isClosed,
        capacity: keys.limitPerKey)
    }
  }

  /// Returns whether the running code certainly has a turn that touches the key.
  @usableFromInline
  func isInside(_ key: Key) -> Bool {
    if HeldTurn.innermost == nil { return false }
    let key = StableKey(key)
    return HeldTurn.node { $0.resource === self && touches($0, key) } != nil
  }

  var size: (busy: Int, capacity: Int) { locked { _ in keys.size } }
}
