/// The callers of `drain`: each waits for the flights accepted before it, for those that replace them, and for the
/// completion handlers of earlier calls.
@usableFromInline
package struct FlightDrains: Sendable {
  fileprivate struct Drain: Sendable {
    let waiter: Waiter
    /// The last flight, and the last call with a completion handler, before it arrived.
    let upTo: UInt64
    let lastCall: UInt64
    /// How many of these have not ended.
    var left: Int
  }

  fileprivate struct Counts: Sendable {
    var drains: [Drain] = []
    /// With a completion handler: all so far, and those whose handler has not returned.
    var calls: UInt64 = 0
    var open = 0
  }

  /// Empty until the first caller comes: most owners are never drained.
  private var made: [Counts] = []

  private var counts: Counts? { made.first }

  @usableFromInline package init() {}

  @usableFromInline package var isEmpty: Bool { counts?.drains.isEmpty ?? true }

  var hasOpenCalls: Bool { counts.map { $0.open > 0 } ?? false }

  package var waiters: [Waiter] { counts?.drains.map(\.waiter) ?? [] }

  private mutating func change<Result>(_ body: (inout Counts) -> Result) -> Result {
    if made.isEmpty { made = [Counts()] }
    return body(&made[0])
  }

  /// Gets the flights by the numbers under which they were accepted.
  package mutating func wait(_ waiter: Waiter, for accepted: [UInt64]) -> Arrival {
    change { counts in
      let left = accepted.count + counts.open
      if left == 0 { return .granted }
      counts.drains.append(
        Drain(waiter: waiter, upTo: accepted.max() ?? 0, lastCall: counts.calls, left: left))
      return .waiting(ahead: accepted.count)
    }
  }

  /// Returns `true` also for a caller that has not been added yet.
  package func waits(_ waiter: Waiter, for accepted: UInt64) -> Bool {
    waiter.isWaiting && (counts?.drains ?? []).allSatisfy { $0.waiter !== waiter || accepted <= $0.upTo }
  }

  /// Notes that a flight has got callers of earlier ones, and counts as accepted with them.
  ///
  /// Callers that came after it wait for it already.
  mutating func countUp(_ accepted: UInt64, before own: UInt64) {
    if isEmpty { return }
    change { $0.count(1) { accepted <= $0.upTo && $0.upTo < own } }
  }

  @usableFromInline
  package mutating func countDown(_ accepted: UInt64, _ deliver: (Waiter) -> Void) {
    if isEmpty { return }
    change { $0.countDown(deliver) { accepted <= $0.upTo } }
  }

  mutating func beginCall() -> UInt64 {
    change { counts in
      (counts.calls, counts.open) = (counts.calls + 1, counts.open + 1)
      return counts.calls
    }
  }

  mutating func endCall(_ number: UInt64, _ deliver: (Waiter) -> Void) {
    change { counts in
      counts.open -= 1
      counts.countDown(deliver) { number <= $0.lastCall }
    }
  }

  package mutating func remove(_ waiter: Waiter) { change { $0.drains.removeAll { $0.waiter === waiter } } }
}

extension FlightDrains.Counts {
  fileprivate mutating func count(_ difference: Int, where waits: (FlightDrains.Drain) -> Bool) {
    for index in drains.indices where waits(drains[index]) { drains[index].left += difference }
  }

  fileprivate mutating func countDown(_ deliver: (Waiter) -> Void, where waits: (FlightDrains.Drain) -> Bool) {
    count(-1, where: waits)
    for drain in drains where drain.left == 0 {
      drain.waiter.grant()
      deliver(drain.waiter)
    }
    drains.removeAll { $0.left == 0 }
  }
}
