@testable import SerialTasks

/// The rule of a line, as plainly as it can be said: who must wait for whom is written down as a list.
///
/// It knows nothing of places and queues, and is held against `LineState` step by step (``LineHistory``).
final class RuledJob {
  let job: Job
  /// `nil` is every key.
  let keys: Set<Int>?
  let isRead: Bool
  let needsSlot: Bool
  /// The job in whose turn it was called.
  let outer: RuledJob?
  var isOnHold: Bool
  /// Whether the pause that goes on does not hold it back.
  var passes = false
  var hasTurn = false
  var hasBegun = false
  var isGone = false
  var waitsFor: [RuledJob] = []
  /// Since which step it waits for nothing but a slot.
  var slotSince: Int?

  init(_ job: Job, _ keys: Set<Int>?, isRead: Bool, needsSlot: Bool, in outer: RuledJob?, isOnHold: Bool) {
    (self.job, self.keys, self.isRead, self.needsSlot, self.outer) = (job, keys, isRead, needsSlot, outer)
    self.isOnHold = isOnHold
  }

  var isNested: Bool { outer != nil }
  /// Whether all that it must wait for is gone.
  var isClear: Bool { !isOnHold && waitsFor.allSatisfy(\.isGone) }
  var outers: [RuledJob] { outer.map { [$0] + $0.outers } ?? [] }

  func conflicts(with other: RuledJob) -> Bool {
    guard let keys, let others = other.keys else { return true }
    return !(isRead && other.isRead) && !keys.isDisjoint(with: others)
  }

  func sharesKey(with other: RuledJob) -> Bool {
    guard let keys, let others = other.keys else { return true }
    return !keys.isDisjoint(with: others)
  }

  func touches(_ key: Int?) -> Bool { key.map { keys?.contains($0) ?? true } ?? true }

  /// Whether it would wait for a turn that it is called in, over these jobs.
  func closesCycle(in present: [RuledJob]) -> Bool {
    var (next, seen): ([RuledJob], Set<ObjectIdentifier>) = (waitsFor, [])
    while let other = next.popLast() {
      if outers.contains(where: { $0 === other }) { return true }
      if other.isGone || !seen.insert(ObjectIdentifier(other)).inserted { continue }
      next += other.hasTurn ? present.filter { $0.outer === other } : other.waitsFor
    }
    return false
  }
}
