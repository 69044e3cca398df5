import Synchronization

/// A number that many threads count up.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .acquiring) }

  /// - Returns: The number after it.
  @discardableResult
  func up() -> Int { number.add(1, ordering: .acquiringAndReleasing).newValue }

  @discardableResult
  func down() -> Int { number.subtract(1, ordering: .acquiringAndReleasing).newValue }

  func set(_ value: Int) { number.store(value, ordering: .releasing) }
}

/// A value that only the jobs of one executor touch.
///
/// Safe because these run one at a time, each after the one before: that is what is being tested, and ThreadSanitizer sees
/// whether it is true.
final class Exclusive<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// Passes a moment without giving up the thread.
func spin(_ rounds: Int) {
  let counter = Counter()
  for _ in 0..<rounds { counter.up() }
}
