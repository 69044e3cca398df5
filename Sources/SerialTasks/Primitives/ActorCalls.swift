/// Calls that are made on actors, for each actor in the order in which they were asked for.
///
/// The runtime does not promise that order: a task that is made for a call begins on the pool, and the mailbox of an actor may
/// prefer higher priorities. So one task makes all calls that wait for an actor, one after the other. There is none while no
/// call waits.
@usableFromInline
enum ActorCalls {
  @usableFromInline typealias Call = @Sendable () async -> Void

  /// The calls that wait for each actor for which a task makes calls; each call keeps its actor.
  private static let waiting = Lock<[ObjectIdentifier: [Call]]>([:])

  /// Makes the call on the actor, behind those that were asked for before.
  @usableFromInline
  static func make(on actor: any Actor, _ call: @escaping Call) {
    let id = ObjectIdentifier(actor)
    let hasTask = waiting.withLock { waiting in
      let hasTask = waiting[id] != nil
      waiting[id, default: []].append(call)
      return hasTask
    }
    if hasTask { return }
    // Detached: it makes the calls of other jobs too, and must not look as if it were a part of this one's turn.
    Task.detached(priority: Task.currentPriority) {
      // The identity is the actor's own for as long as there are calls.
      var calls = takeAll(of: id)
      while !calls.isEmpty {
        for call in calls { await call() }
        calls = takeAll(of: id)
      }
    }
  }

  /// Takes the calls that wait; if there are none, the task ends, and the next call makes another.
  ///
  /// Not inlined into the task, as ``Lock`` asks for.
  @inline(never)
  private static func takeAll(of id: ObjectIdentifier) -> [Call] {
    waiting.withLock { waiting in
      guard let calls = waiting[id], !calls.isEmpty else {
        waiting[id] = nil
        return []
      }
      waiting[id] = []
      return calls
    }
  }
}
