/// The task-local marker of a turn: its node, its number, and the enclosing turn.
///
/// **When a marker is certain.** `async let` and group children read their parent's task-locals in the parent's storage;
/// `Task {}` and `Task.immediate` get copies. Therefore the marker stores the address where it was bound. A marker that is
/// read from another address is a copy, and the job may or may not await the task that reads it. A copy may outlive its
/// turn, and a copy of it may later be at the same address. Therefore the turn must also be running, according to its
/// ``TurnGeneration``. If the runtime behaves differently (``ProbeCheck``), the marker stores the task that has the turn,
/// and only that task is certain.
///
/// **Why nothing is retained.** A certain marker is read only while its job runs: a structured child ends before its parent
/// continues, and the call that runs the job retains the node. The same is true of the enclosing marker. Of a copy, only
/// the generation is followed, which is never freed. This saves the free line two atomic operations.
@usableFromInline
package struct TurnMarker: @unchecked Sendable {
  // Safe because the pointers, except the generation, are followed only from a certain marker: see above.

  fileprivate var node: Unmanaged<WaitNode>?
  fileprivate(set) var generation: TurnGeneration
  fileprivate(set) var turn: UInt64
  /// Where this marker was bound, or, if the probe is wrong, the task that has the turn; `nil` before.
  fileprivate var address: UnsafeRawPointer?
  fileprivate let enclosing: UnsafePointer<TurnMarker>?
  /// The number of nested tasks that started at once on one stack, and the bit of detached jobs, which is inherited with
  /// it.
  fileprivate let nesting: UInt32

  @usableFromInline package static let key = TaskLocal(wrappedValue: TurnMarker())

  /// The marker where none is bound: no turn.
  static let ofNoTurn = TurnMarker()

  private init() {
    node = nil
    generation = .ofNoTurn
    turn = 1
    enclosing = nil
    nesting = 0
  }

  /// Creates a marker for a turn that is about to begin in the current task.
  ///
  /// Borrows the node; otherwise each turn would retain and release it.
  @usableFromInline
  package init(node: borrowing WaitNode) { self.init(node: node, in: TurnMarker.key) }

  @inline(__always)
  fileprivate init(node: borrowing WaitNode, in key: TaskLocal<TurnMarker>) {
    // A separate function: a call outside of turns has nothing to keep.
    if let outer = StorageProbe.storage(of: key) {
      self = TurnMarker.nested(node, in: outer)
    } else {
      self.init(node: node, in: nil)
    }
  }

  @inline(__always)
  fileprivate init(node: borrowing WaitNode, in outer: UnsafeMutablePointer<TurnMarker>?) {
    self.init(
      node, inside: HeldTurn(outer.map { UnsafePointer($0) })?.storage, nesting: outer?.pointee.nesting ?? 0)
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
  private static func nested(_ node: borrowing WaitNode, in outer: UnsafeMutablePointer<TurnMarker>) -> TurnMarker {
    let marker = TurnMarker(node: node, in: outer)
    if OrderHook.isSet { OrderHook.begins(copy node, in: HeldTurn(UnsafePointer(outer))) }
    return marker
  }

  /// Creates a marker for the turn of a call with a limit, which closes no cycle.
  @usableFromInline
  package init(limited node: borrowing WaitNode) { self.init(limited: node, in: TurnMarker.key) }

  @inline(__always)
  fileprivate init(limited node: borrowing WaitNode, in key: TaskLocal<TurnMarker>) {
    self.init(node: node, in: StorageProbe.storage(of: key))
  }

  /// Creates a marker for consecutive jobs of one detached task.
  package init(ofDetached node: borrowing WaitNode) { self.init(node, inside: nil, nesting: TurnMarker.detached) }

  private static var detached: UInt32 { 1 << 31 }

  /// Whether the code runs in a detached job or a task started there, which inherits nothing of `potentialDeadlocks`.
  package static var isInDetached: Bool { nesting >= detached }

  /// Creates a marker for the turn of a task that is about to be created and copies it.
  ///
  /// The turns of the creating code do not belong to that task.
  @usableFromInline
  package init(taskOf node: borrowing WaitNode) {
    self.init(node, inside: nil, nesting: TurnMarker.nesting &+ 1)
  }

  fileprivate static var nesting: UInt32 { StorageProbe.storage(of: key)?.pointee.nesting ?? 0 }

  /// The turn of which the running code may be a part: it runs in a task that was started there, which the job may or may
  /// not await.
  static var doubtful: DoubtfulTurn? {
    guard let marker = StorageProbe.storage(of: key)?.pointee, marker.generation.isGoingOn(marker.turn)
    else { return nil }
    return DoubtfulTurn(marker)
  }

  /// Whether the code may run in a child task of a job; if the probe is wrong, a child cannot be distinguished from a copy.
  static var mayBeOfChild: Bool { StorageProbe.isWrong && doubtful != nil }

  /// Whether the stack may be too deep for another task that starts at once.
  @usableFromInline var isDeep: Bool { nesting % 32 == 31 }

  /// Stores its address in the marker that was bound last; called first by the task that has the turn.
  @usableFromInline
  package static func bindAddress() { bindAddress(in: key) }

  @usableFromInline
  static func bindAddress(in key: TaskLocal<TurnMarker>) {
    // Safe because only this task has access to the storage so far, and the runtime created it for a value of this type.
    if let storage = StorageProbe.storage(of: key) { bindAddress(at: storage) }
  }

  package static func bindAddress(at storage: UnsafeMutablePointer<TurnMarker>) {
    if StorageProbe.isWrong { bindTask(at: storage) } else { storage.pointee.address = UnsafeRawPointer(storage) }
  }

  @inline(never)
  private static func bindTask(at storage: UnsafeMutablePointer<TurnMarker>) { storage.pointee.address = currentTask }

  fileprivate static var currentTask: UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: TaskReference.current?.word ?? 0)
  }

  /// Ends the turn; called while the marker is still bound in the task that had it.
  @usableFromInline
  package func end() { generation.end(turn) }
}

extension WaitNode {
  /// Returns a marker for a turn that is about to begin in the current task; faster if the caller has the key.
  @usableFromInline
  final func marker(in key: TaskLocal<TurnMarker>) -> TurnMarker { TurnMarker(node: self, in: key) }

  /// Returns a marker for the turn of a call with a limit.
  @usableFromInline
  final func limitedMarker(in key: TaskLocal<TurnMarker>) -> TurnMarker { TurnMarker(limited: self, in: key) }
}

/// A turn of which the running code may or may not be a part.
package struct DoubtfulTurn: Sendable {
  package let generation: TurnGeneration
  private let turn: UInt64

  fileprivate init(_ marker: TurnMarker) { (generation, turn) = (marker.generation, marker.turn) }

  package var goesOn: Bool { generation.isGoingOn(turn) }
}

/// A bound marker, for consecutive turns of one task.
///
/// Safe because only the task in which the marker is bound uses it, and only while it is bound. Each turn has another
/// number: a copy of the marker belongs to the turn in which it was made.
struct BoundMarker {
  private let storage: UnsafeMutablePointer<TurnMarker>

  /// Must be the first call where the marker is bound.
  init(_ marker: TurnMarker) {
    storage = StorageProbe.storage(of: TurnMarker.key)!
    TurnMarker.bindAddress(at: storage)
  }

  func end() { storage.pointee.end() }

  /// Begins another turn after the previous one has ended; returns whether the marker can mark it.
  func begin(_ node: borrowing WaitNode) -> Bool {
    // A copy of the marker would also belong to this turn.
    if StorageProbe.isWrong { return false }
    storage.pointee.node = .passUnretained(copy node)
    storage.pointee.generation = node.generation
    storage.pointee.turn = node.generation.begin()
    return true
  }
}

/// A turn that the running code certainly holds: it runs in the job itself, or in a child task that the job awaits.
///
/// A marker that was read where it was bound. The innermost comes first; `outer` leads to the enclosing ones.
@usableFromInline
package struct HeldTurn {
  fileprivate let storage: UnsafePointer<TurnMarker>

  package init?(_ storage: UnsafePointer<TurnMarker>?) {
    guard let storage,
      storage.pointee.address == UnsafeRawPointer(storage) || HeldTurn.isOfCurrentTask(storage.pointee.address),
      storage.pointee.generation.isGoingOn(storage.pointee.turn)
    else { return nil }
    self.storage = storage
  }

  /// Returns whether the address is the running task, if the probe is wrong.
  @inline(never)
  private static func isOfCurrentTask(_ address: UnsafeRawPointer?) -> Bool {
    StorageProbe.isWrong && address != nil && address == TurnMarker.currentTask
  }

  @usableFromInline package static var innermost: HeldTurn? {
    HeldTurn(StorageProbe.storage(of: TurnMarker.key).map { UnsafePointer($0) })
  }

  package var node: WaitNode { storage.pointee.node!.takeUnretainedValue() }
  package var outer: HeldTurn? { HeldTurn(storage.pointee.enclosing) }

  /// The generation of the turn, and its number there.
  package var identity: (generation: UInt, turn: UInt64) { (storage.pointee.generation.identity, storage.pointee.turn) }
}
