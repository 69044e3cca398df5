extension KeyedLine {
  func withdrawAll(of key: Key) {
    let key = StableKey(key)
    let withdrawal = locked { state in keys[key].map { state.withdraw(from: $0) } }
    if let withdrawal { carryOut(withdrawal) }
  }

  nonisolated(nonsending) func drain(_ key: Key) async -> JobRejection? {
    let stable = StableKey(key)
    let queue = locked { state -> JobQueue? in
      // A caller that waits for handlers alone has a queue of its own.
      return keys[stable] ?? (state.rare?.calls.isEmpty ?? true ? nil : KeyTable.Queue(stable))
    }
    guard let queue else { return nil }
    let drainer = LineDrainer(of: queue, priority: Task.currentPriority.rawValue)
    return await LineDrainRoom(self).drain(drainer, label: label(["\(key)"]))
  }

  package func snapshot(of key: StableKey<Key>) -> ExecutorSnapshot {
    locked { state in
      let queue = keys[key]
      let holder = queue?.places.first.flatMap { $0.claimant.isWaiting ? nil : $0.claimant }
      return ExecutorSnapshot(
        waiting: Int(queue?.waiting ?? 0), running: holder == nil ? 0 : 1, runningJob: holder?.name,
        isPaused: state.isPaused, isClosed: state.isClosed,
        capacity: keys.limitPerKey)
    }
  }

  @usableFromInline
  package func isInside(_ key: Key) -> Bool {
    if HeldTurn.innermost == nil { return false }
    let key = StableKey(key)
    let queue = locked { _ in keys[key] }
    return HeldTurn.node { turn in
      // The turn does not end meanwhile, and the claims of its job do not change.
      guard turn.resource === self, let job = turn.holder as? Job else { return false }
      var touches = job.touchesEveryKey
      job.forEachKey { if $1 === queue { touches = true } }
      return touches
    } != nil
  }

  /// The number of keys that jobs touch, and of keys that the table has room for.
  package var size: (busy: Int, capacity: Int) { locked { _ in keys.size } }
}
