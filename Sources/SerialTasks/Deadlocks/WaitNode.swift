/// Something with turns, as the deadlock markers see it: a name, and jobs that run in it.
///
/// An instance of this class itself marks the scope of `potentialDeadlocks`.
@usableFromInline
package class WaitNode: Linked, @unchecked Sendable {
  // Safe because mutable properties are protected by the lock of the wait graph, and the links by the lock of a line.

  @usableFromInline package final let generation: TurnGeneration

  /// The waits of code inside the turn; belongs to the wait graph.
  final var waits: [Wait] = []

  /// - Parameter generation: Belongs to this node until all of its turns have ended.
  @usableFromInline
  package init(generation: TurnGeneration) { self.generation = generation }

  /// The node itself, or, of detached jobs in one task, that of the running one.
  package var current: WaitNode { self }

  /// What waiters of this node wait for: the node, or the line whose turn it is.
  package var resource: WaitNode { self }

  /// The job that has the turn; takes the lock of its line.
  package var holder: Linked? { nil }

  /// What its turn holds, for `potentialDeadlocks`; `nil` if nothing.
  package var stake: Stake? { nil }

  /// Whether its turn belongs to a call with a limit, where the code that begins the turn cannot see that.
  package var isLimited: Bool { false }

  package var isUnwanted: Bool { false }

  /// Its name in deadlock errors, or its type and a short id.
  @usableFromInline package var label: String { "a test that watches" }

  package var turnLabel: String { label }

  @usableFromInline package var job: String? { nil }

  final var jobLabel: String { job.map { "\($0) in \(turnLabel)" } ?? turnLabel }

  package static func shortID(_ type: String, of object: ObjectIdentifier) -> String {
    "\(type)#\(String(UInt(bitPattern: object) >> 4 & 0xffff, radix: 16))"
  }
}
