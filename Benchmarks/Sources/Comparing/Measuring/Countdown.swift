import Synchronization

/// Counts jobs, so that the last one can be distinguished from the others.
package final class Countdown: Sendable {
  private let left: Atomic<Int>

  package init(_ count: Int) { left = Atomic(count) }

  package var isZero: Bool { left.load(ordering: .acquiring) == 0 }

  package func isLast() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
