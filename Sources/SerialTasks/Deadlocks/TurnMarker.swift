/// The task-local marker of a turn: its node, its number, and the enclosing turn.
///
/// **When a marker is certain.** `async let` and group children read task-locals in their parent's storage; `Task {}`
/// and `Task.immediate` get copies. So the ``TurnGeneration`` stores the address at which the marker of its running
/// turn is bound. A marker elsewhere is a copy, whose task the job may not await. If the runtime behaves differently
/// (``ProbeCheck``), the turn's task is stored instead, and only that task is certain.
///
/// **Why nothing is retained.** A certain marker, and the one that encloses it, is read only while its job runs: a
/// structured child ends first, and the job's call retains the node. Of a copy, only the generation is followed. This
/// saves the free line two atomic operations.
@usableFromInline
package struct TurnMarker: @unchecked Sendable {
  // Safe because the pointers, except the generation, are followed only from a certain marker.

  fileprivate let node: Unmanaged<WaitNode>?
  fileprivate let generation: TurnGeneration
  fileprivate let turn: UInt64
  fileprivate let enclosing: UnsafePointer<TurnMarker>?
  /// How many nested tasks started at once on one stack, and the inherited bit of detached jobs.
  fileprivate let nesting: UInt32

  @usableFromInline package static let key = TaskLocal(wrappedValue: TurnMarker())

  static let ofNoTurn = TurnMarker()

  private init() { (node, generation, turn, enclosing, nesting) = (nil, .ofNoTurn, 1, nil, 0) }

  /// Borrows the node: otherwise each turn would retain and release it.
  @usableFromInline
  package init(node: borrowing WaitNode) { self.init(node: node, in: TurnMarker.key) }

  /// For a caller that has the key; the turn of a call with a limit closes no cycle.
  @inline(__always)
  init(node: borrowing WaitNode, in key: TaskLocal<TurnMarker>, isLimited: Bool = false) {
    let outer = StorageProbe.storage(of: key)
    if let outer, !isLimited { self = .nested(node, in: outer) } else { self.init(node: node, in: outer) }
  }

  @inline(__always)
  private init(node: borrowing WaitNode, in outer: UnsafePointer<TurnMarker>?) {
    self.init(
      node, inside: HeldTurn(outer)?.storage, nesting: outer?.pointee.nesting ?? 0)
  }

  @inline(__always)
  private init(_ node: borrowing WaitNode, inside enclosing: UnsafePointer<TurnMarker>?, nesting: UInt32) {
    self.node = .passUnretained(copy node)
    generation = node.generation
    turn = node.generation.begin()
    self.enclosing = enclosing
    self.nesting = nesting
  }

  @inline(never)
  private static func nested(_ node: borrowing WaitNode, in outer: UnsafePointer<TurnMarker>) -> TurnMarker {
    let marker = TurnMarker(node: node, in: outer)
    if OrderHook.isSet { OrderHook.begins(copy node, in: HeldTurn(outer)) }
    return marker
  }

  /// Creates a marker for the detached jobs of one task; a copy of it belongs to none of them.
  package init(of turns: DetachedTurns) {
    (node, generation, turn) = (.passUnretained(turns), turns.generation, 0)
    (enclosing, nesting) = (nil, TurnMarker.detached)
  }

  private static var detached: UInt32 { 1 << 31 }

  /// Whether the code runs in a detached job, or a task started there, which inherits no recorder.
  package static var isInDetached: Bool { nesting >= detached }

  /// Creates a marker for a new task, without the turns of the creating code.
  @usableFromInline
  package init(taskOf node: borrowing WaitNode) {
    self.init(node, inside: nil, nesting: TurnMarker.nesting &+ 1)
  }

  fileprivate static var nesting: UInt32 { StorageProbe.storage(of: key)?.pointee.nesting ?? 0 }

  /// The turn in which this task was started; its job may or may not await the task.
  static var doubtful: DoubtfulTurn? {
    guard let marker = StorageProbe.storage(of: key)?.pointee, marker.generation.isGoingOn(marker.turn)
    else { return nil }
    return DoubtfulTurn(marker)
  }

  /// Whether this may be a child task of a job, which a wrong probe cannot distinguish from a copy.
  static var mayBeOfChild: Bool { StorageProbe.isWrong && doubtful != nil }

  /// Whether another task that starts at once might overflow the stack.
  @usableFromInline package var isDeep: Bool { nesting % 32 == 31 }

  /// Stores the address of the innermost bound marker; called first by the task that has the turn.
  @usableFromInline
  package static func bindAddress() { bindAddress(in: key) }

  @usableFromInline
  static func bindAddress(in key: TaskLocal<TurnMarker>) {
    if let storage = StorageProbe.storage(of: key) { bindAddress(at: storage) }
  }

  package static func bindAddress(at storage: UnsafePointer<TurnMarker>) {
    storage.pointee.generation.bind(at: StorageProbe.isWrong ? currentTask : UInt(bitPattern: storage))
  }

  @inline(never)
  fileprivate static var currentTask: UInt { TaskReference.current?.word ?? 0 }

  /// Called while the turn's task still has the marker bound.
  @usableFromInline
  package func end() { generation.end(turn) }
}

package struct DoubtfulTurn: Sendable {
  let generation: TurnGeneration
  private let turn: UInt64

  fileprivate init(_ marker: TurnMarker) { (generation, turn) = (marker.generation, marker.turn) }

  package var goesOn: Bool { generation.isGoingOn(turn) }
}

/// The turns of detached jobs that run one after the other in one task, which binds their marker once.
///
/// Safe because only that task writes, and only code that is certainly inside a job reads.
package final class DetachedTurns: WaitNode, @unchecked Sendable {
  @exclusivity(unchecked) private var node: Unmanaged<WaitNode>?

  package init() { super.init(generation: .take()) }

  deinit { TurnGeneration.release(generation) }

  override var current: WaitNode { node!.takeUnretainedValue() }

  /// Begins a turn of this node, which the job retains, where the marker is bound.
  func begin(_ node: borrowing WaitNode) {
    self.node = .passUnretained(copy node)
    _ = generation.begin()
    TurnMarker.bindAddress()
  }

  func end() { generation.end(generation.turn) }
}

/// A turn that the running code certainly holds: the job itself, or a child task that it awaits, runs it.
@usableFromInline
package struct HeldTurn {
  fileprivate let storage: UnsafePointer<TurnMarker>

  package init?(_ storage: UnsafePointer<TurnMarker>?) {
    guard let storage,
      storage.pointee.generation.isBound(at: UInt(bitPattern: storage)) || HeldTurn.isOfCurrentTask(storage)
    else { return nil }
    self.storage = storage
  }

  @inline(never)
  private static func isOfCurrentTask(_ storage: UnsafePointer<TurnMarker>) -> Bool {
    guard StorageProbe.isWrong, TurnMarker.currentTask != 0 else { return false }
    return storage.pointee.generation.isBound(at: TurnMarker.currentTask)
  }

  @usableFromInline package static var innermost: HeldTurn? {
    HeldTurn(StorageProbe.storage(of: TurnMarker.key))
  }

  package var node: WaitNode { storage.pointee.node!.takeUnretainedValue().current }
  package var outer: HeldTurn? { HeldTurn(storage.pointee.enclosing) }

  package var identity: (generation: UInt, turn: UInt64) {
    (storage.pointee.generation.identity, storage.pointee.generation.turn)
  }
}
