/// What ends together with a wait: its edge in the wait graph, or its time limit.
@usableFromInline
package protocol OngoingWait: AnyObject, Sendable {
  func end()
}

/// All of these for one caller, the only one to access them.
struct OngoingWaits: Sendable {
  /// Nearly always `nil`: the caller has no limit and holds no turn.
  private var waits: [any OngoingWait]?

  mutating func begin(_ wait: any OngoingWait) { waits = (waits.take() ?? []) + [wait] }

  mutating func end() {
    guard let waits = waits.take() else { return }
    for wait in waits.reversed() { wait.end() }
  }
}
