/// What a turn can be a turn of, as the deadlock markers see it: something with a name that jobs run in.
///
/// One that is nothing more marks what a test watches.
@usableFromInline
package class WaitNode: Linked, @unchecked Sendable {
  // Safe because what is mutable is behind the lock of the wait graph, but for its links, which are behind that of a line.

  @usableFromInline package final let generation: TurnGeneration

  /// What code inside the turn waits for; the wait graph's.
  final var waits: [Wait] = []

  /// - Parameter generation: The node's alone from now on, until all of its turns have ended.
  @usableFromInline
  package init(generation: TurnGeneration) { self.generation = generation }

  /// What waiters of this one are really waiting for: itself, or the line whose turn it is.
  package var resource: WaitNode { self }

  /// The job of a line whose turn it is; takes the lock of that line.
  package var holder: Linked? { nil }

  /// What its turn keeps from others, as a test sees it that watches; `nil` if that is nothing.
  package var stake: Stake? { nil }

  /// Whether its turn is that of a call with a limit, where the call that begins the turn does not know that.
  package var isLimited: Bool { false }

  /// Whether it is a flight that no caller wants any more, whose operation is being cancelled.
  package var isUnwanted: Bool { false }

  /// What a deadlock calls it: its name, or its type and a short id.
  @usableFromInline package var label: String { "a test that watches" }

  /// What a deadlock calls a turn of it.
  package var turnLabel: String { label }

  /// The name of the job whose turn it is.
  @usableFromInline package var job: String? { nil }

  /// What a deadlock calls a turn of it, with the name of its job.
  final var jobLabel: String { job.map { "\($0) in \(turnLabel)" } ?? turnLabel }

  /// Returns the type and a short id, for what has no name.
  package static func shortID(_ type: String, of object: ObjectIdentifier) -> String {
    "\(type)#\(String(UInt(bitPattern: object) >> 4 & 0xffff, radix: 16))"
  }
}
