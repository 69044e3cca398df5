/// What lasts as long as a wait does and is ended with it: its edge in the wait graph, or its time limit.
@usableFromInline
package protocol OngoingWait: AnyObject, Sendable {
  /// Ends it, however the wait has ended.
  func end()
}

/// All that lasts as long as a caller waits; the caller's alone.
struct OngoingWaits: Sendable {
  /// `nil` for nearly every caller: it has no limit, and holds no turn.
  private var waits: [any OngoingWait]?

  mutating func begin(_ wait: any OngoingWait) { waits = (waits.take() ?? []) + [wait] }

  mutating func end() {
    guard let waits = waits.take() else { return }
    for wait in waits.reversed() { wait.end() }
  }
}
