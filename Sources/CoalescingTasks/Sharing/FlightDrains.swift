/// The callers of `drain` of an owner of flights.
///
/// Each waits for the flights that were accepted before it, and for flights that replace them. The flights are counted.
@usableFromInline
package struct FlightDrains: Sendable {
  private struct Drain: Sendable {
    let waiter: Waiter
    /// The last flight that was accepted before the caller arrived, and how many of these flights have not ended.
    let upTo: UInt64
    var left: Int
  }

  private var drains: [Drain] = []

  @usableFromInline package init() {}

  @usableFromInline package var isEmpty: Bool { drains.isEmpty }

  package var waiters: [Waiter] { drains.map(\.waiter) }

  /// Adds a caller that waits for these flights, by the numbers under which they were accepted.
  package mutating func wait(_ waiter: Waiter, for accepted: [UInt64]) -> Arrival {
    guard let last = accepted.max() else { return .granted }
    drains.append(Drain(waiter: waiter, upTo: last, left: accepted.count))
    return .waiting(ahead: accepted.count)
  }

  /// Returns whether the caller waits for the flight with this number; a caller that has not been added yet would.
  package func waits(_ waiter: Waiter, for accepted: UInt64) -> Bool {
    waiter.isWaiting && drains.allSatisfy { $0.waiter !== waiter || accepted <= $0.upTo }
  }

  /// Notes a new flight that replaces others.
  package mutating func countUp(_ accepted: UInt64) {
    for index in drains.indices where accepted <= drains[index].upTo { drains[index].left += 1 }
  }

  /// Notes the end of a flight, and resumes the callers for which it was the last.
  @usableFromInline
  package mutating func countDown(_ accepted: UInt64, _ deliver: (Waiter) -> Void) {
    for index in drains.indices where accepted <= drains[index].upTo { drains[index].left -= 1 }
    for drain in drains where drain.left == 0 {
      drain.waiter.state = .granted
      deliver(drain.waiter)
    }
    drains.removeAll { $0.left == 0 }
  }

  package mutating func remove(_ waiter: Waiter) { drains.removeAll { $0.waiter === waiter } }
}
