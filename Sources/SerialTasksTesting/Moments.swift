import SerialTasks

/// A state that tests change, and the tasks that wait for a condition on it.
///
/// The conditions are this module's own, and run under the lock. Tasks are resumed after the unlock, in order of
/// arrival.
final class Moments<State: Sendable>: Sendable {
  private let state: Lock<State>
  private let observers = WaitObservers<State>()

  init(_ state: State) { self.state = Lock(state) }

  var now: State { state.withLock { $0 } }

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

  nonisolated(nonsending) func wait(
    isCancellable: Bool = true, patience: Duration? = nil, until isReached: @escaping @Sendable (State) -> Bool
  ) async -> JobRejection? {
    await observers.wait(in: state, isCancellable: isCancellable, patience: patience) { isReached($0) }
  }

  nonisolated(nonsending) func waitUnlessCancelled(until isReached: @escaping @Sendable (State) -> Bool) async throws {
    if await wait(until: isReached) != nil { throw CancellationError() }
  }
}
