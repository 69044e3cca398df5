/// Something with turns, as deadlock markers see it; an instance of this class itself marks the scope of `potentialDeadlocks`.
@usableFromInline
package class WaitNode: Linked, @unchecked Sendable {
  // Safe because the lock of the wait graph protects `waits`, and the lock of a line the links.

  @usableFromInline package final let generation: TurnGeneration

  final var waits: [Wait] = []

  /// - Parameter generation: Belongs to this node until all of its turns have ended.
  @usableFromInline
  package init(generation: TurnGeneration) { self.generation = generation }

  /// The node itself; of detached jobs in one task, that of the running one.
  var current: WaitNode { self }

  /// What its waiters wait for: the node, or its line.
  package var resource: WaitNode { self }

  /// Takes the lock of its line.
  package var holder: Linked? { nil }

  package var stake: Stake? { nil }

  /// Whether the turn belongs to a call with a limit, if the code that begins it cannot see that.
  var isLimited: Bool { false }

  var isUnwanted: Bool { false }

  @usableFromInline package var label: String { "a test that watches" }

  var turnLabel: String { label }

  @usableFromInline package var job: String? { nil }

  final var jobLabel: String { job.map { $0 + " in " + turnLabel } ?? turnLabel }

  /// Not inlined: each label would repeat it.
  @inline(never)
  package static func shortID(_ type: String, of object: ObjectIdentifier) -> String {
    "\(type)#\(String(UInt(bitPattern: object) >> 4 & 0xffff, radix: 16))"
  }
}
