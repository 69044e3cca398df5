#if SERIALTASKS_NO_PROBE
  /// The task-local mark of a turn where the storage probe is turned off: certain only in the very task that holds the turn.
  ///
  /// Costs an allocation a turn, and child tasks of a job queue like strangers.
  @usableFromInline
  package struct TurnMarker: Sendable {
    fileprivate let box: Box?
    /// How many tasks that start at once may stand on one stack, each started by the one before; and the bits of ``OrderWatches``,
    /// which are inherited with it.
    fileprivate let nesting: UInt32

    @usableFromInline static let key = TaskLocal(wrappedValue: TurnMarker())

    private init() {
      box = nil
      nesting = 0
    }

    @usableFromInline
    init(node: borrowing WaitNode) {
      self.init(limited: node)
      if nesting >= OrderWatches.detached { OrderWatches.begins(copy node, in: HeldTurn.innermost) }
    }

    /// A marker for the turn of a call with a limit, which closes no cycle.
    @usableFromInline
    init(limited node: borrowing WaitNode) {
      nesting = TurnMarker.key.get().nesting
      box = Box(node: copy node, task: TurnMarker.currentTask, enclosing: HeldTurn.innermost?.box, nesting: nesting)
    }

    /// A marker for jobs that one detached task has one after the other: who watches them is not known.
    init(ofDetached node: borrowing WaitNode) {
      nesting = OrderWatches.detached
      box = Box(node: copy node, task: TurnMarker.currentTask, enclosing: nil, nesting: nesting)
    }

    /// A marker for what a test watches, in the turn that the running code has, if it has one.
    init(watching scope: borrowing WaitNode) {
      nesting = TurnMarker.key.get().nesting | OrderWatches.watched
      let enclosing = HeldTurn.innermost?.box
      box = Box(node: copy scope, task: nil, enclosing: enclosing, nesting: nesting)
    }

    @usableFromInline
    init(taskOf node: borrowing WaitNode) {
      nesting = TurnMarker.key.get().nesting &+ 1
      box = Box(node: copy node, task: nil, enclosing: nil, nesting: nesting)
    }

    /// Without the probe everything but the very task is in doubt, and that is not told apart.
    static var doubtful: DoubtfulTurn? { nil }

    /// Whether the running code may be in a child task of a job, which nothing tells from a copy.
    static var mayBeOfChild: Bool { key.get().box?.isGoingOn ?? false }

    /// Whether a task that starts at once would stand on too deep a stack, if all those stand there that may.
    @usableFromInline var isDeep: Bool { nesting % 32 == 31 }

    @usableFromInline static func bindAddress(in key: TaskLocal<TurnMarker>) { bindAddress() }

    @usableFromInline static func bindAddress() { key.get().box?.bind(to: currentTask) }

    @usableFromInline func end() { box?.state.withLock { $0.hasEnded = true } }

    fileprivate static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
  }

  extension WaitNode {
    /// Returns a marker for a turn that is about to begin in the current task.
    @usableFromInline
    final func marker(in key: TaskLocal<TurnMarker>) -> TurnMarker { TurnMarker(node: self) }

    /// Returns a marker for the turn of a call with a limit.
    @usableFromInline
    final func limitedMarker(in key: TaskLocal<TurnMarker>) -> TurnMarker { TurnMarker(limited: self) }
  }

  /// A marker where it is bound; it cannot be changed there, so each turn has its own.
  struct BoundMarker {
    private let marker: TurnMarker

    init(_ marker: TurnMarker) {
      self.marker = marker
      TurnMarker.bindAddress()
    }

    func end() { marker.end() }

    func begin(_ node: borrowing WaitNode) -> Bool { false }
  }

  extension TurnMarker {
    fileprivate final class Box: Sendable {
      struct State {
        var task: Int?
        /// A task that outlives the job keeps its marker; the next task may have the first one's address.
        var hasEnded = false
      }

      let node: WaitNode
      let enclosing: Box?
      let nesting: UInt32
      let state: Lock<State>

      init(node: WaitNode, task: Int?, enclosing: Box?, nesting: UInt32) {
        self.node = node
        self.enclosing = enclosing
        self.nesting = nesting
        state = Lock(State(task: task))
      }

      func bind(to task: Int) { state.withLock { $0.task = $0.task ?? task } }

      var isGoingOn: Bool { state.withLock { !$0.hasEnded } }

      func isTurn(of task: Int) -> Bool { state.withLock { $0.task == task && !$0.hasEnded } }
    }
  }

  /// A turn that the running code certainly holds: it runs in the very task of the job.
  ///
  /// The innermost comes first; `outer` leads to those around it.
  @usableFromInline
  package struct HeldTurn {
    fileprivate let box: TurnMarker.Box

    fileprivate init?(_ box: TurnMarker.Box?) {
      guard let box, box.isTurn(of: TurnMarker.currentTask) else { return nil }
      self.box = box
    }

    @usableFromInline package static var innermost: HeldTurn? { HeldTurn(TurnMarker.key.get().box) }

    package var node: WaitNode { box.node }
    package var outer: HeldTurn? { HeldTurn(box.enclosing) }

    /// Whether what is asked for here is watched.
    var isWatched: Bool { box.nesting >= OrderWatches.detached }

    /// Which turn it is: each has a box of its own.
    var identity: (generation: UInt, turn: UInt64) { (UInt(bitPattern: ObjectIdentifier(box)), 0) }
  }
#endif
