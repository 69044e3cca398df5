// What jobs of a line of keys keep from others, and what callers ask for, as a test sees it that watches (`OrderWatch`).

extension ClaimLine {
  /// What a job with these claims keeps from others.
  package final func stake(of job: JobClaim?) -> Stake? {
    guard let job else { return nil }
    var keys: [Stake.Key] = []
    job.forEachClaim { if let key = $0.queue.stakeKey { keys.append(key) } }
    return stake(job.isShared ? keys : nil, kind: job.kind)
  }

  /// What a job of this kind keeps from others that touches these keys; `nil` for all.
  @usableFromInline
  final func stake(_ keys: [Stake.Key]?, kind: JobClaim.Kind) -> Stake {
    var stake = Stake(of: self, label: label, mode: kind.contains(.read) ? .shared : .alone)
    stake.keys = keys
    stake.slots = kind.contains(.slot) ? state.withLock { $0.slots } : nil
    stake.goesFirst = kind.contains(.first)
    return stake
  }

  /// What a caller of `drain` waits for.
  final func stake(ofDrainer waiter: Waiter) -> Stake {
    var stake = Stake(of: self, label: label, mode: .drain)
    stake.keys = KeyQueue.drained(by: waiter).stakeKey.map { [$0] }
    return stake
  }
}

extension Touched {
  /// The keys as a watch sees them; `nil` for every key.
  var stakeKeys: [Stake.Key]? {
    switch self {
    case .everyKey: nil
    case .one(let key): [key.stakeKey]
    case .many(let keys): keys.map(\.stakeKey)
    }
  }
}
