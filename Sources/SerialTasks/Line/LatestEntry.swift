// What a job waits by that a newer one may replace.

/// The entry of a waiting job among those that a newer one may replace; it moves from each to the one that replaces it.
///
/// Safe because it is reached only under the lock of the line.
@usableFromInline
package final class LatestEntry: @unchecked Sendable {
  /// Safe because a job that leaves is forgotten first.
  @exclusivity(unchecked) @usableFromInline package unowned(unsafe) var job: Job?
  /// Until when the job waits for a newer one, if it is a draft.
  @exclusivity(unchecked) package var due: Duration?
  /// When the first of the jobs came that replaced each other as drafts.
  @exclusivity(unchecked) var firstCame = Duration.zero
  /// What ends that wait, or looks whether it is over, and when.
  @exclusivity(unchecked) var timer: DraftTimer?
  @exclusivity(unchecked) var timerEnds: Duration?
  /// How many jobs stood ahead of the first of these jobs when it came.
  @exclusivity(unchecked) var ahead = 0

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
final class DraftTimer: Sendable {
  private let limit: TimeLimit

  init(_ limit: TimeLimit) { self.limit = limit }

  deinit { limit.end() }
}

extension LatestEntry {
  /// Holds the job back, which has just come or has just been replaced.
  ///
  /// - Returns: When a timer has to pass that is to be set; `nil` if one is set that passes before.
  @usableFromInline
  package final func hold(_ pause: DraftPause, at now: Duration) -> Duration? {
    if due == nil { firstCame = now }
    let end = pause.end(at: now, since: firstCame)
    due = end
    if let timerEnds, timerEnds <= end { return nil }
    timerEnds = end
    return end
  }
}
