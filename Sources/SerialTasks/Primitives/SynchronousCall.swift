/// A call by synchronous code, whose completion waits until the call has returned.
///
/// `Task.yield()` is not enough: it may return before its task has suspended, and the task then continues inside the call.
package final class SynchronousCall: Sendable {
  private struct State {
    var isGoingOn = true
    var suspension: Suspension?
  }

  private let state = Lock(State())

  /// Passes the closure's result to the completion; the closure begins before this returns.
  ///
  /// The counter counts the call until the completion has returned.
  package static func pass<Value: Sendable>(
    to completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void, of counter: some CallCounter,
    name: String?, priority: TaskPriority? = nil, _ ask: @escaping @Sendable () async throws -> Value
  ) {
    let call = SynchronousCall()
    Task<Void, Never>.starting(now: true, name: name, priority: priority) {
      let number = counter.beginCall()
      let result: Result<Value, any Error>
      do { result = .success(try await ask()) } catch { result = .failure(error) }
      // The caller may hold a lock that the completion needs.
      await call.hasReturned()
      await completion(result)
      counter.endCall(number)
    }
    call.end()
  }

  private nonisolated(nonsending) func hasReturned() async {
    await Suspension.park { suspension in
      state.withLock { state in
        if state.isGoingOn { state.suspension = suspension }
        return state.isGoingOn
      }
    }
  }

  /// Lets the completion run; called last: the task can no longer continue inside the call.
  private func end() {
    let completion = state.withLock { state in
      state.isGoingOn = false
      return state.suspension.take()
    }
    completion?.resume()
  }
}

package protocol CallCounter: Sendable {
  func beginCall() -> UInt64
  func endCall(_ number: UInt64)
}
