/// The entry by which a newer job finds a waiting one to replace; it moves to each replacement.
///
/// Safe because it is accessed only under the lock of the line.
@usableFromInline
package final class LatestEntry: @unchecked Sendable {
  /// Safe because the entry of a job is cleared before the job leaves.
  @exclusivity(unchecked) @usableFromInline package unowned(unsafe) var job: Job?
  /// Until when the job waits for a newer one, if it is a draft.
  @exclusivity(unchecked) @usableFromInline var due: Duration?
  @exclusivity(unchecked) private var firstCame = Duration.zero
  @exclusivity(unchecked) fileprivate var timer: DraftTimer?

  /// The job that has the place, if it has replaced others; `nil` after it was settled.
  @exclusivity(unchecked) var newest: Submission?
  @exclusivity(unchecked) var replaced: [Submission] = []
  /// Whether a newer job finds it; see ``KeyTable/forget(_:_:)``.
  @exclusivity(unchecked) @usableFromInline var isListed = false
  private let forgetting: @Sendable (LatestEntry) -> Void

  /// - Parameter forgetting: Removes it from the table. Called under the lock.
  @usableFromInline
  package init(forgetting: @escaping @Sendable (LatestEntry) -> Void = { _ in }) { self.forgetting = forgetting }

  /// Makes the job irreplaceable: it begins, or has left.
  package func forget() {
    job = nil
    forgetting(self)
  }
}

extension KeyTable {
  @usableFromInline
  func forget(_ entry: LatestEntry, _ key: StableKey<Key>) {
    // The table uses the entry's instance of the key, which is released after the unlock.
    guard entry.isListed, let index = latest.index(of: entry, for: key) else { return }
    entry.isListed = false
    latest.remove(at: index)
    latest.shrinkIfSparse()
  }
}

/// How long a job waits for a newer one that replaces it.
@usableFromInline
package struct DraftPause: Sendable {
  /// The time after the newest job arrived.
  let after: Duration
  /// The longest time after the first job arrived.
  let atMost: Duration?

  @usableFromInline
  package init?(after: Duration?, atMost: Duration?) {
    guard let after, after > .zero, atMost.map({ $0 > .zero }) ?? true else { return nil }
    (self.after, self.atMost) = (after.bounded, atMost?.bounded)
  }

  /// Returns when the wait is over, for a series whose first job arrived at this time.
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
  /// Starts the wait of a job that is about to arrive, or has just replaced another.
  @usableFromInline
  package final func hold(_ pause: DraftPause, at now: Duration) {
    if due == nil { firstCame = now }
    due = pause.end(at: now, since: firstCame)
  }

  /// Ends the wait; the timer ends with the effects.
  func endHold(_ effects: inout Effects) {
    due = nil
    if let timer = timer.take() { effects.release(timer) }
  }
}

extension Line {
  /// Sets the timer of a draft that has arrived or replaced another, whose timer then ends.
  @usableFromInline
  final func setTimer(of entry: LatestEntry, at due: Duration) {
    let timer = DraftTimer(limits.start(until: due) { [weak self] in self?.pass(entry, due) })
    // An unneeded timer is released after the unlock.
    _ = locked { _ -> DraftTimer? in
      guard entry.due == due else { return timer }
      let older = entry.timer
      entry.timer = timer
      return older
    }
  }

  /// Ends the wait of a draft whose time has passed, unless a newer one has set another timer.
  private final func pass(_ entry: LatestEntry, _ due: Duration) {
    carryOut { state, effects in
      if let job = entry.job, entry.due == due { state.endDraft(job, &effects) }
    }
  }
}
