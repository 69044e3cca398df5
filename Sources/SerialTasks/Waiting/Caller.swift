/// A waiter that is a caller's own task and waits for no turn; safe like ``Waiter``.
@usableFromInline
package class Caller: Waiter, @unchecked Sendable {
  @exclusivity(unchecked) private final var waits = OngoingWaits()

  @usableFromInline
  package final override func begin(_ wait: any OngoingWait) { waits.begin(wait) }

  @usableFromInline
  package final override func endWait() { waits.end() }
}
