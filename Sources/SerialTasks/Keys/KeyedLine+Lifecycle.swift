// What is asked or done for one key.

extension KeyedLine {
  /// The queue of the key, if a job touches it.
  private func queue(_ key: StableKey<Key>, _ table: inout ClaimTable) -> KeyQueue? {
    keys.settle(.one(key), &table)
    return keys.queues[key]
  }

  func withdrawAll(of key: Key) {
    let key = StableKey(key)
    if let withdrawal = state.withLock({ table in queue(key, &table).map { table.withdraw(from: $0) } }) {
      carryOut(withdrawal)
    }
  }

  nonisolated(nonsending) func drain(_ key: Key) async -> JobRejection? {
    let stable = StableKey(key)
    guard let waiter = drainer({ queue(stable, &$0) }) else { return nil }
    return await drain(waiter, label: label(["\(key)"]))
  }

  /// Whether nothing waits or runs, for the key or at all, and the condition holds at the same moment; asked under the lock.
  ///
  /// Not inlined into async functions, as ``Lock`` asks for.
  @inline(never)
  package func isIdle(_ key: StableKey<Key>?, while condition: () -> Bool = { true }) -> Bool {
    state.withLock { table in
      table.settle()
      return (key.map { queue($0, &table)?.isUnused ?? true } ?? table.isIdle) && condition()
    }
  }

  package func snapshot(of key: Key) -> ExecutorSnapshot {
    let key = StableKey(key)
    return state.withLock { table in
      let queue = queue(key, &table)
      let holder = queue?.first.flatMap { $0.job.isWaiting ? nil : $0.job.waiter }
      return ExecutorSnapshot(
        waiting: queue?.waiting ?? 0, running: holder == nil ? 0 : 1, runningJob: holder?.name,
        isPaused: table.isPaused, isClosed: table.isClosed, capacity: table.capacityPerKey)
    }
  }

  /// Whether the running code certainly has a turn that touches the key.
  @usableFromInline
  func isInside(_ key: Key) -> Bool {
    if HeldTurn.innermost == nil { return false }
    let key = StableKey(key)
    return HeldTurn.node { $0.resource === self && touches($0, key) } != nil
  }

  var size: (busy: Int, capacity: Int) { state.withLock { _ in keys.size } }
}
