import SerialTasks

/// A state that tests change, and the tasks that wait until something holds of it.
///
/// This is the one way to wait in this module. Conditions are the module's own, and are asked under the lock; tasks go on after
/// the unlock, in the order in which they came.
final class Moments<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let number: UInt64
    let isReached: @Sendable (State) -> Bool
    /// Is resumed with `false` if the task was cancelled.
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Contents: Sendable {
    var state: State
    var waiters: [Waiter] = []
    var lastNumber: UInt64 = 0
  }

  private let contents: Lock<Contents>

  init(_ state: State) { contents = Lock(Contents(state: state)) }

  /// The state as it is.
  var now: State { contents.withLock { $0.state } }

  /// Changes the state, and lets those tasks go on that have waited for it.
  @inline(never)
  func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, reached) = contents.withLock { contents in
      let result = body(&contents.state)
      let reached = contents.waiters.filter { $0.isReached(contents.state) }.map(\.continuation)
      if !reached.isEmpty { contents.waiters.removeAll { $0.isReached(contents.state) } }
      return (result, reached)
    }
    for continuation in reached { continuation.resume(returning: true) }
    return result
  }

  /// Returns when the condition holds; not ended by cancellation.
  nonisolated(nonsending) func wait(until isReached: @escaping @Sendable (State) -> Bool) async {
    let number = takeNumber()
    _ = await withCheckedContinuation { register(number, $0, leaves: false, isReached) }
  }

  /// Returns when the condition holds, at once if it does already.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled before.
  nonisolated(nonsending) func waitUnlessCancelled(until isReached: @escaping @Sendable (State) -> Bool) async throws {
    let number = takeNumber()
    let isReached = await withTaskCancellationHandler {
      await withCheckedContinuation { register(number, $0, leaves: true, isReached) }
    } onCancel: {
      leave(number)
    }
    if !isReached { throw CancellationError() }
  }

  // Not inlined into async functions: see `Lock`.

  @inline(never)
  private func takeNumber() -> UInt64 {
    contents.withLock { contents in
      contents.lastNumber += 1
      return contents.lastNumber
    }
  }

  @inline(never)
  private func register(
    _ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>, leaves: Bool,
    _ isReached: @escaping @Sendable (State) -> Bool
  ) {
    let outcome = contents.withLock { contents -> Bool? in
      if isReached(contents.state) { return true }
      // A cancellation that came before this has found nothing to take out.
      if leaves, Task.isCancelled { return false }
      contents.waiters.append(Waiter(number: number, isReached: isReached, continuation: continuation))
      return nil
    }
    if let outcome { continuation.resume(returning: outcome) }
  }

  private func leave(_ number: UInt64) {
    let continuation = contents.withLock { contents -> CheckedContinuation<Bool, Never>? in
      guard let index = contents.waiters.firstIndex(where: { $0.number == number }) else { return nil }
      return contents.waiters.remove(at: index).continuation
    }
    continuation?.resume(returning: false)
  }
}
