// What a job waits by that a newer one may replace.

/// The entry of a waiting job among those that a newer one may replace.
///
/// Safe because it is reached only under the lock of the line.
@usableFromInline
package class LatestEntry: @unchecked Sendable {
  /// Safe because a job that leaves is forgotten first.
  @exclusivity(unchecked) @usableFromInline package final unowned(unsafe) var job: Job?
  /// Until when the job waits for a newer one, if it is a draft.
  @exclusivity(unchecked) package final var due: Duration?
  /// When the first of the jobs came that replaced each other as drafts.
  @exclusivity(unchecked) final var firstCame = Duration.zero
  /// What ends that wait, or looks whether it is over, and when.
  @exclusivity(unchecked) final var timer: DraftTimer?
  @exclusivity(unchecked) final var timerEnds: Duration?
  /// How many jobs stood ahead of the first of these jobs when it came.
  @exclusivity(unchecked) final var ahead = 0

  @usableFromInline package init() {}

  /// Lets no newer job replace it: it begins, or has left.
  @usableFromInline package func forget() { job = nil }
}

/// The entry of a job of a certain type, with its key; for its parameter see ``NamedQueue``.
///
/// Safe like ``LatestEntry``.
@usableFromInline
final class TypedLatestEntry<Key: Hashable & Sendable>: LatestEntry, @unchecked Sendable {
  @usableFromInline let key: StableKey<LatestKey<Key>>
  /// Safe because the table holds the entry, and an entry that was forgotten does not ask it.
  @usableFromInline unowned(unsafe) let table: KeyTable<Key>
  /// Whether it is in the table, where a newer job finds it.
  @exclusivity(unchecked) @usableFromInline var isListed = false

  @inlinable
  init(_ key: StableKey<LatestKey<Key>>, in table: KeyTable<Key>) {
    self.key = key
    self.table = table
    super.init()
  }

  @usableFromInline
  package override func forget() {
    job = nil
    // Its instance of the key is that of the table, and is released after the unlock.
    guard isListed, let index = table.latest.index(of: self, for: key) else { return }
    isListed = false
    table.latest.remove(at: index)
    table.latest.shrinkIfSparse()
  }
}

/// What makes two submitted jobs replace each other: the key, and the types of what they return and throw.
@usableFromInline
struct LatestKey<Key: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline let key: Key
  @usableFromInline let value: ObjectIdentifier
  @usableFromInline let failure: ObjectIdentifier

  @inlinable
  init<Value, Failure: Error>(_ key: Key, _: Value.Type, _: Failure.Type) {
    self.key = key
    value = ObjectIdentifier(Value.self)
    failure = ObjectIdentifier(Failure.self)
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
