/// Calls on the main actor, in order of request.
///
/// The runtime does not promise that order: a new task begins on the pool, and an actor's mailbox may prefer higher
/// priorities. So one task makes all waiting calls.
@usableFromInline enum MainActorCalls {
  @usableFromInline typealias Call = @Sendable @MainActor () -> Void

  private struct State: Sendable {
    var waiting: [Call] = []
    var hasTask = false
  }

  private static let state = Lock(State())

  @usableFromInline
  static func make(_ call: @escaping Call) {
    let hasTask = state.withLock { state in
      defer { state.hasTask = true }
      state.waiting.append(call)
      return state.hasTask
    }
    if hasTask { return }
    // Detached: it also makes the calls of other jobs, outside this one's turn. High: callers of `drain` wait for it,
    // at any priority.
    Task.detached(priority: .high) {
      var calls = takeAll()
      while !calls.isEmpty {
        for call in calls { await call() }
        calls = takeAll()
      }
    }
  }

  /// Ends the task if nothing waits; the next call creates another.
  ///
  /// Not inlined: see ``Lock``.
  @inline(never)
  private static func takeAll() -> [Call] {
    state.withLock { state in
      defer { state.waiting = [] }
      state.hasTask = !state.waiting.isEmpty
      return state.waiting
    }
  }
}
