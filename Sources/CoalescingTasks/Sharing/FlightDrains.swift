/// The callers of `drain` of an owner of flights.
///
/// Each waits for the flights accepted before it, for flights that replace them, and for the completion handlers of earlier calls.
@usableFromInline
package struct FlightDrains: Sendable {
  fileprivate struct Drain: Sendable {
    let waiter: Waiter
    /// The last flight, and the last call with a completion handler, before the caller arrived.
    let upTo: UInt64
    let lastCall: UInt64
    /// How many of these have not ended.
    var left: Int
  }

  /// Created for the first caller, because most owners are never drained.
  ///
  /// Safe because it is accessed only under the lock of the owner.
  fileprivate final class Counts: @unchecked Sendable {
    var drains: [Drain] = []
    /// With a completion handler: all so far, and those whose handler has not returned.
    var calls: UInt64 = 0
    var open = 0
  }

  private var counts: Counts?

  @usableFromInline package init() {}

  @usableFromInline package var isEmpty: Bool { counts?.drains.isEmpty ?? true }

  package var hasOpenCalls: Bool { counts.map { $0.open > 0 } ?? false }

  package var waiters: [Waiter] { counts?.drains.map(\.waiter) ?? [] }

  private var made: Counts {
    mutating get {
      let counts = counts ?? Counts()
      self.counts = counts
      return counts
    }
  }

  /// Gets the flights by the numbers under which they were accepted.
  package mutating func wait(_ waiter: Waiter, for accepted: [UInt64]) -> Arrival {
    let counts = made
    let left = accepted.count + counts.open
    if left == 0 { return .granted }
    counts.drains.append(
      Drain(waiter: waiter, upTo: accepted.max() ?? 0, lastCall: counts.calls, left: left))
    return .waiting(ahead: accepted.count)
  }

  /// Returns `true` also for a caller that has not been added yet.
  package func waits(_ waiter: Waiter, for accepted: UInt64) -> Bool {
    waiter.isWaiting && (counts?.drains ?? []).allSatisfy { $0.waiter !== waiter || accepted <= $0.upTo }
  }

  /// Notes a flight that now counts as accepted earlier than by its own number, because it has callers of earlier ones.
  ///
  /// Callers that came after it wait for it already.
  package mutating func countUp(_ accepted: UInt64, before own: UInt64) {
    guard let counts else { return }
    for index in counts.drains.indices where accepted <= counts.drains[index].upTo && counts.drains[index].upTo < own {
      counts.drains[index].left += 1
    }
  }

  @usableFromInline
  package mutating func countDown(_ accepted: UInt64, _ deliver: (Waiter) -> Void) {
    counts?.countDown(deliver) { accepted <= $0.upTo }
  }

  package mutating func beginCall() -> UInt64 {
    let counts = made
    (counts.calls, counts.open) = (counts.calls + 1, counts.open + 1)
    return counts.calls
  }

  package mutating func endCall(_ number: UInt64, _ deliver: (Waiter) -> Void) {
    counts!.open -= 1
    counts!.countDown(deliver) { number <= $0.lastCall }
  }

  package mutating func remove(_ waiter: Waiter) { counts?.drains.removeAll { $0.waiter === waiter } }
}

extension FlightDrains.Counts {
  fileprivate func countDown(_ deliver: (Waiter) -> Void, where waits: (FlightDrains.Drain) -> Bool) {
    for index in drains.indices where waits(drains[index]) { drains[index].left -= 1 }
    for drain in drains where drain.left == 0 {
      drain.waiter.state = .granted
      deliver(drain.waiter)
    }
    drains.removeAll { $0.left == 0 }
  }
}
