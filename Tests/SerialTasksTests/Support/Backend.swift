import CoalescingTasks

struct BackendError: Error, Equatable { let call: Int }

/// What a coalescer is asked to spare: it counts its calls, and answers each with its number when its gate is open.
final class Backend: Sendable {
  private struct State: Sendable {
    var calls = 0
    var cancelled: [Int] = []
  }

  let gate = Gate()
  private let state = Lock(State())

  /// How often it was called.
  var calls: Int { state.withLock { $0.calls } }

  /// Which calls found themselves cancelled when they were let through.
  var cancelled: [Int] { state.withLock { $0.cancelled } }

  /// Answers at once.
  func call() -> Int {
    state.withLock {
      $0.calls += 1
      return $0.calls
    }
  }

  /// Answers when the gate is open; not ended by cancellation.
  func fetch() async -> Int {
    let call = call()
    await gate.pass()
    if Task.isCancelled { state.withLock { $0.cancelled.append(call) } }
    return call
  }

  /// Fails when the gate is open.
  func fail() async throws -> Int { throw BackendError(call: await fetch()) }
}

/// Asks in a task of its own, which leads or has joined when this returns: `Task.immediate` runs to the first suspension, and
/// so does the operation of a flight.
func asking<Value: Sendable>(
  _ coalescer: TaskCoalescer<Int, Value>, _ key: Int = 7, name: String? = nil, priority: TaskPriority? = nil,
  _ operation: @escaping @Sendable () async throws -> Value
) -> Task<CoalescedAnswer<Value>, any Error> {
  Task.immediate(priority: priority) { try await coalescer.answer(for: key, name: name, operation) }
}

/// Reads as `led 1`, `joined 1`, `prefetched 1` in a test's expectations.
extension CoalescedAnswer where Value == Int {
  static func led(_ value: Int) -> Self { answer(value, .led) }
  static func joined(_ value: Int) -> Self { answer(value, .joined) }
  static func prefetched(_ value: Int) -> Self { answer(value, .prefetched) }

  private static func answer(_ value: Int, _ source: Source) -> Self { Self(value: value, source: source) }
}
