import SerialTasks

/// A state that tests change, and the tasks that wait until something holds of it.
///
/// Conditions are the module's own, and are asked under the lock; tasks go on after the unlock, in the order in which they came.
final class Moments<State: Sendable>: Sendable {
  private let state: Lock<State>
  private let observers = WaitObservers<State>()

  init(_ state: State) { self.state = Lock(state) }

  /// The state as it is.
  var now: State { state.withLock { $0 } }

  /// Changes the state, and lets those tasks go on that have waited for it.
  @inline(never)
  func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let result = state.withLock { state in
      let result = body(&state)
      observers.note(state)
      return result
    }
    observers.tell()
    return result
  }

  /// Waits until the condition holds; not at all if it does already.
  ///
  /// - Returns: Why the call did not wait for that: its task was cancelled, or it is late.
  nonisolated(nonsending) func wait(
    isCancellable: Bool = true, patience: Duration? = nil, until isReached: @escaping @Sendable (State) -> Bool
  ) async -> JobRejection? {
    await observers.wait(in: state, isCancellable: isCancellable, patience: patience) { isReached($0) }
  }

  /// Returns when the condition holds, at once if it does already.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled before.
  nonisolated(nonsending) func waitUnlessCancelled(until isReached: @escaping @Sendable (State) -> Bool) async throws {
    if await wait(until: isReached) != nil { throw CancellationError() }
  }
}
