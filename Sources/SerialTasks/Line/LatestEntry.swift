// What a job waits by that a newer one may replace.

/// The entry of a waiting job among those that a newer one may replace; it moves from each to the one that replaces it.
///
/// Safe because it is reached only under the lock of the line.
@usableFromInline
package final class LatestEntry: @unchecked Sendable {
  /// Safe because a job that leaves is forgotten first.
  @exclusivity(unchecked) @usableFromInline package unowned(unsafe) var job: Job?
  /// Until when the job waits for a newer one, if it is a draft.
  @exclusivity(unchecked) @usableFromInline var due: Duration?
  /// When the first of the jobs came that replaced each other as drafts.
  @exclusivity(unchecked) private var firstCame = Duration.zero
  /// What ends that wait.
  @exclusivity(unchecked) fileprivate var timer: DraftTimer?

  /// The one that has the place, if it has replaced others; `nil` when it has been settled.
  @exclusivity(unchecked) var newest: Submission?
  /// Those that it has replaced, the oldest first.
  @exclusivity(unchecked) var replaced: [Submission] = []
  /// Whether a newer job finds it; see ``KeyTable/forget(_:_:)``.
  @exclusivity(unchecked) @usableFromInline var isListed = false
  private let forgetting: @Sendable (LatestEntry) -> Void

  /// - Parameter forgetting: Takes it out of what newer jobs look in; called under the lock.
  @usableFromInline
  package init(forgetting: @escaping @Sendable (LatestEntry) -> Void = { _ in }) { self.forgetting = forgetting }

  /// Lets no newer job replace it: it begins, or has left.
  package func forget() {
    job = nil
    forgetting(self)
  }
}

extension KeyTable {
  /// Lets no newer job find the entry.
  @usableFromInline
  func forget(_ entry: LatestEntry, _ key: StableKey<Key>) {
    // Its instance of the key is that of the table, and is released after the unlock.
    guard entry.isListed, let index = latest.index(of: entry, for: key) else { return }
    entry.isListed = false
    latest.remove(at: index)
    latest.shrinkIfSparse()
  }
}

/// How long a job waits for a newer one that replaces it.
@usableFromInline
package struct DraftPause: Sendable {
  /// How long after the newest came.
  let after: Duration
  /// How long after the first came, at most.
  let atMost: Duration?

  /// Returns `nil` if there is nothing to wait for.
  @usableFromInline
  package init?(after: Duration?, atMost: Duration?) {
    guard let after, after > .zero, atMost.map({ $0 > .zero }) ?? true else { return nil }
    (self.after, self.atMost) = (after.bounded, atMost?.bounded)
  }

  /// Returns when the wait is over, of a job whose first came then.
  @usableFromInline
  func end(at now: Duration, since first: Duration) -> Duration {
    min(now + after, atMost.map { first + $0 } ?? now + after)
  }
}

/// Ends its limit when it is released, which happens outside of all locks.
package final class DraftTimer: Sendable {
  private let limit: TimeLimit

  init(_ limit: TimeLimit) { self.limit = limit }

  deinit { limit.end() }
}

extension LatestEntry {
  /// Holds the job back, which is about to come or has just been replaced.
  @usableFromInline
  package final func hold(_ pause: DraftPause, at now: Duration) {
    if due == nil { firstCame = now }
    due = pause.end(at: now, since: firstCame)
  }

  /// Notes that the job is not held back any more; its timer ends with the effects.
  func endHold(_ effects: inout Effects) {
    due = nil
    if let timer = timer.take() { effects.release(timer) }
  }
}

extension Line {
  /// Sets the timer of a draft that has come, or has taken the place of another, whose timer ends then.
  @usableFromInline
  final func setTimer(of entry: LatestEntry, at due: Duration) {
    let timer = DraftTimer(limits.start(until: due) { [weak self] in self?.pass(entry, due) })
    // One that is not needed any more is released after the unlock.
    _ = locked { _ -> DraftTimer? in
      guard entry.due == due else { return timer }
      let older = entry.timer
      entry.timer = timer
      return older
    }
  }

  /// Lets a draft go on whose time has passed, unless a newer one has come meanwhile and set another.
  private final func pass(_ entry: LatestEntry, _ due: Duration) {
    carryOut { state, effects in
      if let job = entry.job, entry.due == due { state.endDraft(job, &effects) }
    }
  }
}
