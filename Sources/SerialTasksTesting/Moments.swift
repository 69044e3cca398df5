import SerialTasks

/// A state that tests change, and the tasks that wait until a condition holds for it.
///
/// The conditions are this module's own, and run under the lock. Tasks are resumed after it, in order of arrival.
final class Moments<State: Sendable>: Sendable {
  private let state: Lock<State>
  private let observers = WaitObservers<State>()

  init(_ state: State) { self.state = Lock(state) }

  /// The current state.
  var now: State { state.withLock { $0 } }

  /// Changes the state, and resumes the tasks whose conditions now hold.
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

  /// Waits until the condition holds.
  ///
  /// - Returns: Why the call stopped waiting, if it did: its task was cancelled, or it was late.
  nonisolated(nonsending) func wait(
    isCancellable: Bool = true, patience: Duration? = nil, until isReached: @escaping @Sendable (State) -> Bool
  ) async -> JobRejection? {
    await observers.wait(in: state, isCancellable: isCancellable, patience: patience) { isReached($0) }
  }

  /// Returns when the condition holds.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled before.
  nonisolated(nonsending) func waitUnlessCancelled(until isReached: @escaping @Sendable (State) -> Bool) async throws {
    if await wait(until: isReached) != nil { throw CancellationError() }
  }
}
