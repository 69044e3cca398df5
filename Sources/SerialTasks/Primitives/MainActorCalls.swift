/// Calls that are made on the main actor, in the order in which they were asked for.
///
/// The runtime does not promise that order: a task that is made for a call begins on the pool, and the mailbox of an actor may
/// prefer higher priorities. So one task makes all calls that wait, one after the other. There is none while no call waits.
@usableFromInline
enum MainActorCalls {
  @usableFromInline typealias Call = @Sendable @MainActor () -> Void

  private struct State: Sendable {
    var waiting: [Call] = []
    /// Whether a task makes the calls.
    var hasTask = false
  }

  private static let state = Lock(State())

  /// Makes the call, behind those that were asked for before.
  @usableFromInline
  static func make(_ call: @escaping Call) {
    let hasTask = state.withLock { state in
      defer { state.hasTask = true }
      state.waiting.append(call)
      return state.hasTask
    }
    if hasTask { return }
    // Detached: it makes the calls of other jobs too, and must not look as if it were a part of this one's turn.
    Task.detached(priority: Task.currentPriority) {
      var calls = takeAll()
      while !calls.isEmpty {
        for call in calls { await call() }
        calls = takeAll()
      }
    }
  }

  /// Takes the calls that wait; if there are none, the task ends, and the next call makes another.
  ///
  /// Not inlined into the task, as ``Lock`` asks for.
  @inline(never)
  private static func takeAll() -> [Call] {
    state.withLock { state in
      defer { state.waiting = [] }
      state.hasTask = !state.waiting.isEmpty
      return state.waiting
    }
  }
}
