extension KeyedLine {
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
}
