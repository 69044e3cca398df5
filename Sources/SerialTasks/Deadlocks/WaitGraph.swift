/// The wait-for graph of calls that hold a turn: detects a deadlock before the wait begins that would complete the cycle.
///
/// A turn of an executor, or a flight, is a node (``WaitNode``). A call that holds turns and has to wait is an edge (``Wait``)
/// from each of them to what it waits for, and that has *blockers*: the turns that must end before the call goes on. A wait
/// that leads back to a turn of the caller's own, whatever else ends, would never end, and is rejected
/// (``CycleSearch``).
///
/// ```
///   turn of A ── a job in it waits for ──► B, whose turn's job waits for ──► C, whose turn is the caller's own: rejected
/// ```
///
/// **What is certain.** Only calls whose turn is certain (``HeldTurn``) are in the graph, so every edge is of a job that cannot
/// end before its wait does. All edges are added under one lock, together with taking the place, so of the calls that close a
/// cycle together exactly one is last, and it is rejected. An edge counts only while its waiter waits, which is asked under the
/// lock of what it waits for; so a wait that has ended leaves nothing behind, though its edge is taken out a little later.
///
/// **What comes later.** A wait is for what came before it, and the place is taken before the search, under the same lock: so it is
/// searched for once. A call in a turn goes before jobs that have none: it may also close a cycle of those who wait for these
/// (``Wait/overtakes``).
///
/// **Pauses.** A caller of `pauseAndWait` waits for what runs, and the line is resumed only after that. So while it waits, what is held back
/// waits for what runs. A cycle over such a wait is none: what is held back in it is let pass.
///
/// **Locks.** The graph's is taken first and those of lines, coalescers and submitted jobs inside it, never the other way
/// round. Innermost is that of the free generations (``TurnGeneration``), which is taken under any of them. Only a call that
/// holds a turn already *and* has to wait takes the graph's, and a call that pauses.
///
/// The idea is that of the wait-for graphs of databases; that it can be kept here, and is exact, is owed to the markers.
@usableFromInline
package enum WaitGraph {
  private static let lock = Lock(())

  /// Starts the wait, unless it would never end.
  ///
  /// - Parameters:
  ///   - wait: What would wait, and for what.
  ///   - join: Takes the place; returns whether the caller has to wait at all.
  /// - Returns: The cycle that the wait would close; then the caller has to leave its place. Until it has, another call may be rejected
  ///   because of it.
  static func begin(_ wait: Wait, join: () -> Bool) -> DeadlockError? {
    search(from: wait, if: join) {
      for node in wait.chain { node.waits.append(wait) }
    }
  }

  /// Returns the cycle that the wait would close if it began now, if it would.
  @usableFromInline
  static func cycle(closedBy wait: Wait) -> DeadlockError? {
    search(from: wait, if: { true }, otherwise: {})
  }

  /// Returns the cycle that a wait for the end of this turn would close now, if it would.
  @usableFromInline
  package static func cycle(closedBy node: WaitNode) -> DeadlockError? {
    cycle(closedBy: Wait(for: node.label) { .all([node]) })
  }

  private static func search(from wait: Wait, if isWait: () -> Bool, otherwise add: () -> Void) -> DeadlockError? {
    // What the search has met is released outside the lock: the last reference to a result may go with it. And the cycle
    // gets its names there: a key's `description` may take any lock, also one whose owner waits for this one.
    let (cycle, search) = lock.withLock { _ -> (CycleSearch.Cycle?, CycleSearch?) in
      guard isWait() else { return (nil, nil) }
      var search = CycleSearch(from: wait)
      if let cycle = search.cycle() { return (cycle, search) }
      add()
      return (nil, search)
    }
    search?.letPass()
    return cycle?.error
  }

  /// Lets pass what these turns wait for, and a pause holds back that waits for them.
  static func letPass(whatIsAwaitedIn turns: [WaitNode]) {
    let searches = lock.withLock { _ in
      turns.flatMap(\.waits).map { wait in
        var search = CycleSearch(from: wait)
        search.lookForPauses()
        return search
      }
    }
    for search in searches { search.letPass() }
  }

  /// Returns how many waits have an edge from there.
  package static func waits(from node: WaitNode) -> Int { lock.withLock { _ in node.waits.count } }

  /// Notes that the wait has ended, however it did.
  @usableFromInline
  static func end(_ wait: Wait) { lock.withLock { _ in remove(wait) } }

  private static func remove(_ wait: Wait) { for node in wait.chain { node.waits.removeAll { $0 === wait } } }
}

/// The turns that must end before a waiter goes on.
@usableFromInline
package struct Blockers: Sendable {
  /// Each of these.
  @usableFromInline package var all: [WaitNode]
  /// And any one of these, if there are some.
  @usableFromInline package var any: [WaitNode]
  /// And the pause, if there is one that is awaited, and holds back what the waiter waits for.
  package var pause: Pause?

  /// A pause that ends when certain turns have.
  package struct Pause: Sendable {
    let until: [WaitNode]
    /// Lets pass what it holds back; called when no lock is held.
    let pass: @Sendable () -> Void

    package init(until turns: [WaitNode], pass: @escaping @Sendable () -> Void) { (until, self.pass) = (turns, pass) }
  }

  @usableFromInline
  package init(all: [WaitNode] = [], any: [WaitNode] = []) {
    self.all = all
    self.any = any
  }

  /// It does not wait any more, or no turn stands in its way.
  @usableFromInline package static var none: Blockers { Blockers() }

  @usableFromInline package static func all(_ nodes: [WaitNode]) -> Blockers { Blockers(all: nodes) }

  var turns: [WaitNode] { any.isEmpty ? all : all + any }

  var nodes: [WaitNode] { pause.map { turns + $0.until } ?? turns }
}

/// Where a wait meets a turn that is in its way, by name.
///
/// What makes a name may call the `description` of a key, so it is called when no lock is held.
@usableFromInline
package struct Meeting: Sendable {
  /// What it waits for there, which may be less than it has asked for, and what stands between that and the turn; none if that is all
  /// that it has asked for.
  var names: [@Sendable () -> String]

  @usableFromInline
  package init(names: [@Sendable () -> String] = []) { self.names = names }
}

/// A call that holds turns and waits.
@usableFromInline
package final class Wait: OngoingWait {
  /// What it waits for, by name; made before the wait is in the graph, where no lock is held.
  let label: String
  /// The name of the job that it waits to run.
  let job: String?
  /// The turns that the call holds, innermost first.
  let chain: [WaitNode]
  /// Asks who stands in its way now; takes the lock of what it waits for.
  let blockers: @Sendable () -> Blockers
  /// Asks where it meets one of those; takes that lock, too.
  let meeting: @Sendable (WaitNode) -> Meeting
  /// Whether it ends when its task is cancelled.
  private let isCancellable: Bool
  /// Whether jobs wait behind it that came before: who waits for those, waits for it from then on.
  let overtakes: Bool

  /// The caller must hold a turn, or say which are held.
  init(
    for label: String, job: String? = nil, holding chain: [WaitNode] = HeldTurn.chain, isCancellable: Bool = true,
    overtakes: Bool = false, meeting: @escaping @Sendable (WaitNode) -> Meeting = { _ in Meeting() },
    blockers: @escaping @Sendable () -> Blockers
  ) {
    self.label = label
    self.job = job
    self.chain = chain
    self.isCancellable = isCancellable
    self.overtakes = overtakes
    self.meeting = meeting
    self.blockers = blockers
  }

  /// Whether it is that of an operation that no caller wants any more, which is being cancelled.
  var endsByItself: Bool { isCancellable && chain.contains(where: \.isUnwanted) }

  @usableFromInline
  package func end() { WaitGraph.end(self) }
}
