/// The task-local mark of a turn: whose it is, at which place, and which turn it was begun in.
///
/// **How a marker is known to be certain.** `async let` and group children read their parent's task-locals where the
/// parent keeps them; `Task {}` and `Task.immediate` get copies. So the marker writes down where it was bound: a marker
/// that is read from another address is a copy, and the task that reads it is one that the job may or may not wait for.
/// A copy may outlive its turn, and a copy of it may come to lie at that very address; so the turn must also be going on,
/// which its ``TurnGeneration`` knows. Where the runtime does not keep to that (``ProbeCheck``), the marker writes down which task
/// has the turn instead, and only that task is certain.
///
/// **Why nothing here is retained.** A certain marker is read only while its job runs: a structured child ends before its
/// parent goes on, so the job has not returned, and the call that runs it keeps the node alive. The same is true of the
/// marker around it. Of a copy nothing is followed but its generation, which is never freed. This saves the free line two
/// atomic operations.
@usableFromInline
package struct TurnMarker: @unchecked Sendable {
  // Safe because but for the generation the pointers are followed only from a certain marker, for which the above holds.

  fileprivate var node: Unmanaged<WaitNode>?
  fileprivate(set) var generation: TurnGeneration
  fileprivate(set) var turn: UInt64
  /// Where this marker was bound, or which task has the turn where the probe is not right; `nil` until then.
  fileprivate var address: UnsafeRawPointer?
  fileprivate let enclosing: UnsafePointer<TurnMarker>?
  /// How many tasks that start at once may stand on one stack, each started by the one before; and the bit of detached jobs, which
  /// is inherited with it.
  fileprivate let nesting: UInt32

  @usableFromInline package static let key = TaskLocal(wrappedValue: TurnMarker())

  /// What is read where none is bound: no turn.
  static let ofNoTurn = TurnMarker()

  private init() {
    node = nil
    generation = .ofNoTurn
    turn = 1
    enclosing = nil
    nesting = 0
  }

  /// A marker for a turn that is about to begin in the current task.
  ///
  /// Borrows the node, or each turn would retain and release it once for nothing.
  @usableFromInline
  package init(node: borrowing WaitNode) { self.init(node: node, in: TurnMarker.key) }

  @inline(__always)
  fileprivate init(node: borrowing WaitNode, in key: TaskLocal<TurnMarker>) {
    // A function of its own, so that a call outside of turns has nothing to keep.
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

  /// A marker for the turn of a call with a limit, which closes no cycle.
  @usableFromInline
  package init(limited node: borrowing WaitNode) { self.init(limited: node, in: TurnMarker.key) }

  @inline(__always)
  fileprivate init(limited node: borrowing WaitNode, in key: TaskLocal<TurnMarker>) {
    self.init(node: node, in: StorageProbe.storage(of: key))
  }

  /// A marker for jobs that one detached task has one after the other.
  package init(ofDetached node: borrowing WaitNode) { self.init(node, inside: nil, nesting: TurnMarker.detached) }

  private static var detached: UInt32 { 1 << 31 }

  /// Whether the running code is in a detached job, or in a task that was started in one: that inherits nothing of a test that watches.
  package static var isInDetached: Bool { nesting >= detached }

  /// A marker for a turn that a task of its own will have, which is about to be made and gets a copy of it.
  ///
  /// Whatever turn its maker has is none of that task's.
  @usableFromInline
  package init(taskOf node: borrowing WaitNode) {
    self.init(node, inside: nil, nesting: TurnMarker.nesting &+ 1)
  }

  fileprivate static var nesting: UInt32 { StorageProbe.storage(of: key)?.pointee.nesting ?? 0 }

  /// The turn that the running code may or may not have a part in: it runs in a task that was started there and that the job
  /// may or may not await.
  static var doubtful: DoubtfulTurn? {
    guard let marker = StorageProbe.storage(of: key)?.pointee, marker.generation.isGoingOn(marker.turn)
    else { return nil }
    return DoubtfulTurn(marker)
  }

  /// Whether the running code may be in a child task of a job, which nothing tells from a copy where the probe is not right.
  static var mayBeOfChild: Bool { StorageProbe.isWrong && doubtful != nil }

  /// Whether a task that starts at once would stand on too deep a stack, if all those stand there that may.
  @usableFromInline var isDeep: Bool { nesting % 32 == 31 }

  /// Writes into the marker that was bound last where it was bound; the task that has the turn calls this first of all.
  @usableFromInline
  package static func bindAddress() { bindAddress(in: key) }

  @usableFromInline
  static func bindAddress(in key: TaskLocal<TurnMarker>) {
    // Safe because only this task knows the storage yet, and the runtime gave it for a value of this very type.
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

  /// Ends the turn; to be called while the marker is still bound in the task that had it.
  @usableFromInline
  package func end() { generation.end(turn) }
}

extension WaitNode {
  /// Returns a marker for a turn that is about to begin in the current task; faster, for a caller that has the key.
  @usableFromInline
  final func marker(in key: TaskLocal<TurnMarker>) -> TurnMarker { TurnMarker(node: self, in: key) }

  /// Returns a marker for the turn of a call with a limit.
  @usableFromInline
  final func limitedMarker(in key: TaskLocal<TurnMarker>) -> TurnMarker { TurnMarker(limited: self, in: key) }
}

/// A turn that the running code may or may not be a part of.
package struct DoubtfulTurn: Sendable {
  package let generation: TurnGeneration
  private let turn: UInt64

  fileprivate init(_ marker: TurnMarker) { (generation, turn) = (marker.generation, marker.turn) }

  package var goesOn: Bool { generation.isGoingOn(turn) }
}

/// A marker where it is bound, for turns that one task has one after the other.
///
/// Safe because it is used only by the task in which the marker is bound, and while it is. Each turn has another number, so a
/// copy of the marker is of the turn in which it was made.
struct BoundMarker {
  private let storage: UnsafeMutablePointer<TurnMarker>

  /// To be called first of all where the marker is bound.
  init(_ marker: TurnMarker) {
    storage = StorageProbe.storage(of: TurnMarker.key)!
    TurnMarker.bindAddress(at: storage)
  }

  func end() { storage.pointee.end() }

  /// Begins another turn, when the one before has ended; returns whether the marker can mark it.
  func begin(_ node: borrowing WaitNode) -> Bool {
    // A copy of the marker would be of this turn, too.
    if StorageProbe.isWrong { return false }
    storage.pointee.node = .passUnretained(copy node)
    storage.pointee.generation = node.generation
    storage.pointee.turn = node.generation.begin()
    return true
  }
}

/// A turn that the running code certainly holds: it runs in the job itself, or in a child task that the job awaits.
///
/// It is a marker that was read where it was bound. The innermost comes first; `outer` leads to those around it.
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

  /// Returns whether the address is that of the running task, where the probe is not right.
  @inline(never)
  private static func isOfCurrentTask(_ address: UnsafeRawPointer?) -> Bool {
    StorageProbe.isWrong && address != nil && address == TurnMarker.currentTask
  }

  @usableFromInline package static var innermost: HeldTurn? {
    HeldTurn(StorageProbe.storage(of: TurnMarker.key).map { UnsafePointer($0) })
  }

  package var node: WaitNode { storage.pointee.node!.takeUnretainedValue() }
  package var outer: HeldTurn? { HeldTurn(storage.pointee.enclosing) }

  /// Which turn it is: that of a generation, and its number there.
  package var identity: (generation: UInt, turn: UInt64) { (storage.pointee.generation.identity, storage.pointee.turn) }
}
