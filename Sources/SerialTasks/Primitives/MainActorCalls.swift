/// Calls on the main actor, in the order of the requests.
///
/// The runtime does not promise that order: a new task begins on the pool, and an actor's mailbox may prefer higher
/// priorities. Therefore one task makes all waiting calls, one after another.
enum MainActorCalls {
  typealias Call = @Sendable @MainActor () -> Void

  private struct State: Sendable {
    var waiting: [Call] = []
    var hasTask = false
  }

  private static let state = Lock(State())

  static func make(_ call: @escaping Call) {
    let hasTask = state.withLock { state in
      defer { state.hasTask = true }
      state.waiting.append(call)
      return state.hasTask
    }
    if hasTask { return }
    // Detached: it also makes the calls of other jobs, and must not appear to be part of this one's turn. Its priority is
    // that of a user who waits: callers of `drain` do, at any priority.
    Task.detached(priority: .high) {
      var calls = takeAll()
      while !calls.isEmpty {
        for call in calls { await call() }
        calls = takeAll()
      }
    }
  }

  /// Takes the waiting calls; if there are none, the task ends, and the next call creates another.
  ///
  /// Not inlined into the task: see ``Lock``.
  @inline(never)
  private static func takeAll() -> [Call] {
    state.withLock { state in
      defer { state.waiting = [] }
      state.hasTask = !state.waiting.isEmpty
      return state.waiting
    }
  }
}
