/// The graph of calls that wait while they hold a turn: finds a deadlock before the wait that would complete it begins.
///
/// A turn of an executor, or a flight, is a node (``WaitNode``). A call that holds turns and has to wait is an edge
/// (``Wait``) from each of them to its *blockers*: the turns that must end first. A wait that leads back to one of
/// the caller's own turns is rejected (``CycleSearch``).
///
/// ```
///   turn of A ── a job in it waits for ──► B, whose turn's job waits for ──► C, whose turn is the caller's own: rejected
/// ```
///
/// **Certainty.** Only calls whose turn is certain (``HeldTurn``) are in the graph: their jobs cannot end before they
/// do. Edges are added under one lock, together with taking the place: exactly one call closes a cycle, and is
/// rejected. An edge is removed a little after its waiter has resumed; the lock of what the waiter waits for says
/// whether it counts.
///
/// **Later waits.** A wait is only for what came before it, so each is searched once. But a call inside a turn goes
/// ahead of jobs without a turn, and may also close a cycle of their waiters (``Wait/overtakes``).
///
/// **Pauses.** A cycle through a caller of `pauseAndWait`, for which held-back jobs wait, is no deadlock: they may
/// pass.
///
/// **Locks.** The graph's lock is taken first, then those of lines, coalescers and submitted jobs, and last that of
/// the free generations (``TurnGeneration``). Only calls that pause, or hold a turn *and* have to wait, take the
/// graph's lock.
@usableFromInline
package enum WaitGraph {
  private static let lock = Lock(())

  /// Starts the wait, unless it would never end: then the caller must leave its place.
  ///
  /// Until it has left, others may be rejected. `join` takes the place, and returns whether the caller has to wait.
  package static func begin(_ wait: Wait, join: () -> Bool) -> DeadlockError? {
    search(from: wait, if: join) {
      for node in wait.chain { node.waits.append(wait) }
    }
  }

  @usableFromInline
  static func cycle(closedBy wait: Wait) -> DeadlockError? { search(from: wait, if: { true }, otherwise: {}) }

  @usableFromInline
  package static func cycle(closedBy node: WaitNode) -> DeadlockError? {
    cycle(closedBy: Wait(for: node.label) { .all([node]) })
  }

  private static func search(from wait: Wait, if isWait: () -> Bool, otherwise add: () -> Void) -> DeadlockError? {
    // After the unlock: the search may hold the last reference to a result, and a key's `description` may take any lock.
    let (cycle, search) = lock.withLock { _ -> (CycleSearch.Cycle?, CycleSearch?) in
      guard isWait() else { return (nil, nil) }
      var search = CycleSearch(from: wait)
      let cycle = search.cycle()
      if cycle == nil { add() }
      return (cycle, search)
    }
    search?.letPass()
    let deadlock = cycle?.error
    if let deadlock, wait.isCancellable { OrderHook.rejects(deadlock) }
    return deadlock
  }

  /// Exempts jobs from a pause that waits for these turns, if the turns wait for those jobs.
  static func letPass(whatIsAwaitedIn turns: [WaitNode]) {
    let searches = lock.withLock { _ in
      var searches: [CycleSearch] = []
      for turn in turns {
        for wait in turn.waits {
          searches.append(CycleSearch(from: wait))
          searches[searches.count - 1].lookForPauses()
        }
      }
      return searches
    }
    for search in searches { search.letPass() }
  }

  package static func waits(from node: WaitNode) -> Int { lock.withLock { _ in node.waits.count } }

  @usableFromInline
  static func end(_ wait: Wait) {
    lock.withLock { _ in
      for node in wait.chain {
        // Usually one of the first: waits end about as they began.
        if let index = node.waits.firstIndex(where: { $0 === wait }) { node.waits.remove(at: index) }
      }
    }
  }
}

/// The turns that must end first.
@usableFromInline
package struct Blockers: Sendable {
  @usableFromInline package internal(set) var all: [WaitNode]
  /// Of these, one is enough.
  @usableFromInline package internal(set) var any: [WaitNode]
  /// The pause, if a caller awaits it and it holds back what the waiter waits for.
  package var pause: Pause?

  package struct Pause: Sendable {
    let until: [WaitNode]
    /// Exempts the held-back job; called without a lock.
    let pass: @Sendable () -> Void

    package init(until turns: [WaitNode], pass: @escaping @Sendable () -> Void) { (until, self.pass) = (turns, pass) }
  }

  @usableFromInline
  package init(all: [WaitNode] = [], any: [WaitNode] = []) { (self.all, self.any) = (all, any) }

  @usableFromInline package static var none: Blockers { Blockers() }

  @usableFromInline package static func all(_ nodes: [WaitNode]) -> Blockers { Blockers(all: nodes) }

  var turns: [WaitNode] { any.isEmpty ? all : all + any }

  var nodes: [WaitNode] { pause.map { turns + $0.until } ?? turns }
}

/// Where a wait meets a turn that blocks it; named without a lock, as a key's `description` may be called.
@usableFromInline
package struct Meeting: Sendable {
  /// Returns what the call waits for there, and what is between; nothing for all that it requested.
  let names: @Sendable () -> [String]

  @usableFromInline
  package init(names: @escaping @Sendable () -> [String] = { [] }) { self.names = names }
}

@usableFromInline
package final class Wait: OngoingWait {
  /// Created without a lock.
  let label: String
  let job: String?
  let chain: [WaitNode]
  /// Takes the lock of what it waits for.
  let blockers: @Sendable () -> Blockers
  /// Takes the same lock.
  let meeting: @Sendable (WaitNode) -> Meeting
  /// Whether a cancellation ends the wait, and a cycle rejects its call: not for a shutdown, which then does not
  /// wait.
  let isCancellable: Bool
  /// Whether earlier jobs wait behind it, so that their waiters wait for it too.
  let overtakes: Bool

  package init(
    for label: String, job: String? = nil, holding chain: [WaitNode] = HeldTurn.chain, isCancellable: Bool = true,
    overtakes: Bool = false, meeting: @escaping @Sendable (WaitNode) -> Meeting = { _ in Meeting() },
    blockers: @escaping @Sendable () -> Blockers
  ) {
    (self.label, self.job, self.chain) = (label, job, chain)
    (self.isCancellable, self.overtakes) = (isCancellable, overtakes)
    (self.meeting, self.blockers) = (meeting, blockers)
  }

  var endsByItself: Bool { isCancellable && chain.contains(where: \.isUnwanted) }

  @usableFromInline
  package func end() { WaitGraph.end(self) }
}
