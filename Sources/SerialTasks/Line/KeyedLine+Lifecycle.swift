// Not inlined: see ``Lock``.
extension KeyedLine {
  @_alwaysEmitIntoClient @inline(never)
  package func snapshot(of key: StableKey<Key>) -> ExecutorSnapshot { locked { $0.snapshot(of: keys[key]) } }

  @_alwaysEmitIntoClient @inline(never) package func isInside(_ key: Key) -> Bool {
    if HeldTurn.innermost == nil { return false }
    let key = StableKey(key)
    return isInside(locked { _ in keys[key] })
  }

  /// A caller that waits for handlers alone has a queue of its own.
  @_alwaysEmitIntoClient @inline(never) func drained(_ key: Key) -> JobQueue? {
    let key = StableKey(key)
    return locked { keys[key] ?? ($0.isCalling ? KeyTable.Queue(key) : nil) }
  }
}

extension Line {
  @usableFromInline
  final func isInside(_ queue: JobQueue?) -> Bool {
    HeldTurn.node { turn in
      // The turn does not end meanwhile, and the claims of its job do not change.
      guard turn.resource === self, let job = turn.holder as? Job else { return false }
      return job.touchesEveryKey || job.touches(queue)
    } != nil
  }

  @usableFromInline nonisolated(nonsending) final func drain(_ queue: JobQueue) async -> JobRejection? {
    await LineDrainRoom(self).drain(LineDrainer(of: queue, priority: Task.currentPriority.rawValue))
  }
}

extension LineState {
  @usableFromInline var isCalling: Bool { rare.map { !$0.calls.isEmpty } ?? false }

  @usableFromInline func snapshot(of queue: JobQueue?) -> ExecutorSnapshot {
    let holder = queue?.places.first.flatMap { $0.claimant.isWaiting ? nil : $0.claimant }
    return ExecutorSnapshot(
      waiting: Int(queue?.waiting ?? 0), running: holder == nil ? 0 : 1, runningJob: holder?.name,
      isPaused: isPaused, isClosed: isClosed, capacity: table!.limitPerKey)
  }
}
