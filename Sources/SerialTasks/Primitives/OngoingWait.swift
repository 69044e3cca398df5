/// What lasts as long as a wait does and is ended with it: its edge in the wait graph, its time limit, or a timer that watches
/// it.
@usableFromInline
package class OngoingWait: @unchecked Sendable {
  // Safe because `other` is reached only by the caller that waits.

  /// What else lasts as long as the wait does.
  fileprivate final var other: OngoingWait?

  @usableFromInline init() {}

  /// Ends it, however the wait has ended.
  @usableFromInline func end() { preconditionFailure("abstract") }
}

/// All that lasts as long as a caller waits; the caller's alone.
struct OngoingWaits: Sendable {
  private var last: OngoingWait?

  mutating func begin(_ wait: OngoingWait) {
    wait.other = last
    last = wait
  }

  mutating func end() {
    while let ended = last {
      last = ended.other
      ended.end()
    }
  }
}
