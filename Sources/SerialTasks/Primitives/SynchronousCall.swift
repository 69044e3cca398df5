/// A call of synchronous code; the completion waits for it to return.
///
/// `Task.yield()` would not do: it may be over before its task has suspended, and the task then continues inside the call.
final class SynchronousCall: Sendable {
  private struct State {
    var isGoingOn = true
    var suspension: Suspension?
  }

  private let state = Lock(State())

  nonisolated(nonsending) func hasReturned() async {
    await Suspension.park { suspension in
      state.withLock { state in
        if state.isGoingOn { state.suspension = suspension }
        return state.isGoingOn
      }
    }
  }

  /// Must be the last thing that the call does: by then its task has suspended, so it does not continue inside the call.
  func end() {
    let completion = state.withLock { state in
      state.isGoingOn = false
      return state.suspension.take()
    }
    completion?.resume()
  }
}
