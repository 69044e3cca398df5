/// Who waits until the flights have ended that an owner had accepted before.
///
/// It counts them: what comes later is not waited for, unless it replaces one of them.
@usableFromInline
package struct FlightDrains: Sendable {
  private struct Drain: Sendable {
    let waiter: Waiter
    /// The last flight that had been accepted when it came, and how many of those have not ended.
    let upTo: UInt64
    var left: Int
  }

  private var drains: [Drain] = []

  @usableFromInline package init() {}

  @usableFromInline package var isEmpty: Bool { drains.isEmpty }

  package var waiters: [Waiter] { drains.map(\.waiter) }

  /// Lets a caller wait for these flights, by the numbers under which they were accepted.
  package mutating func wait(_ waiter: Waiter, for accepted: [UInt64]) -> Arrival {
    guard let last = accepted.max() else { return .granted }
    drains.append(Drain(waiter: waiter, upTo: last, left: accepted.count))
    return .waiting(ahead: 0)
  }

  /// Returns whether the caller waits for a flight that was accepted under this number; one that has not come yet would.
  package func waits(_ waiter: Waiter, for accepted: UInt64) -> Bool {
    waiter.isWaiting && drains.allSatisfy { $0.waiter !== waiter || accepted <= $0.upTo }
  }

  /// Notes that a flight has come which replaces others.
  package mutating func countUp(_ accepted: UInt64) {
    for index in drains.indices where accepted <= drains[index].upTo { drains[index].left += 1 }
  }

  /// Notes that a flight has ended; those that have waited for it last go on.
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
