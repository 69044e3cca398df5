import CoalescingTasks

struct BackendError: Error, Equatable { let call: Int }

/// What a coalescer is asked to spare: it counts its calls, and answers each with its number when its gate is open.
final class Backend: Sendable {
  let gate = Gate()
  private let count = Lock(0)

  /// How often it was called.
  var calls: Int { count.withLock { $0 } }

  /// Answers at once.
  func call() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }

  /// Answers when the gate is open; not ended by cancellation.
  func fetch() async -> Int {
    let call = call()
    await gate.pass()
    return call
  }
}

/// Asks in a task of its own, which leads or has joined when this returns: `Task.immediate` runs to the first suspension, and
/// so does the operation of a flight.
func asking<Value: Sendable>(
  _ coalescer: TaskCoalescer<Int, Value>, _ operation: @escaping @Sendable () async throws -> Value
) -> Task<CoalescedAnswer<Value>, any Error> {
  Task.immediate { try await coalescer.answer(for: 7, operation) }
}

/// Reads as `led 1`, `prefetched 1` in a test's expectations.
extension CoalescedAnswer where Value == Int {
  static func led(_ value: Int) -> Self { answer(value, .led) }
  static func prefetched(_ value: Int) -> Self { answer(value, .prefetched) }

  private static func answer(_ value: Int, _ source: Source) -> Self { Self(value: value, source: source) }
}
