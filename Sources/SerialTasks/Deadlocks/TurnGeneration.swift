import Synchronization

/// The number of the running turn of a node, in memory that is never freed.
///
/// A marker may outlive the node of its turn, in a task that the job started. Code that finds it must be able to check
/// whether the turn is still running before it follows anything else. Therefore generations are reused by later nodes and
/// never freed, and turns are numbered by generation, never twice. There are as many generations as there were nodes at any
/// one time.
///
/// Only one turn of a generation runs at a time, and only its job calls ``begin()`` and ``end(_:)``.
@usableFromInline
package struct TurnGeneration: @unchecked Sendable {
  // Safe because the memory is never freed and contains only an atomic.

  /// Odd while a turn runs: then the number of that turn.
  private let count: UnsafeMutablePointer<Atomic<UInt64>>

  private init(at count: UnsafeMutablePointer<Atomic<UInt64>>) {
    self.count = count
    count.initialize(to: Atomic(0))
  }

  /// A generation of no node.
  static let ofNoTurn = TurnGeneration(at: .allocate(capacity: 1))

  /// Returns whether this turn is running; any task may call this at any time.
  ///
  /// Relaxed: a task that is certainly inside the turn has seen it begin, and any other may treat it as ended.
  func isGoingOn(_ turn: UInt64) -> Bool { count.pointee.load(ordering: .relaxed) == turn }

  func begin() -> UInt64 {
    let turn = count.pointee.load(ordering: .relaxed) &+ 1
    count.pointee.store(turn, ordering: .relaxed)
    return turn
  }

  func end(_ turn: UInt64) { count.pointee.store(turn &+ 1, ordering: .relaxed) }
}

extension TurnGeneration: Equatable {
  /// Its identity.
  var identity: UInt { UInt(bitPattern: count) }
}

extension TurnGeneration {
  private static let free = Lock<[TurnGeneration]>([])

  /// Returns a generation for a new node.
  @usableFromInline @inline(never) package static func take() -> TurnGeneration {
    free.withLock { $0.popLast() } ?? takeOfMore()
  }

  /// Allocates many at once, because one alone would take four times its size.
  private static func takeOfMore() -> TurnGeneration {
    _ = StorageProbe.isChecked
    let memory = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 64)
    let more = (0..<64).map { TurnGeneration(at: memory + $0) }
    free.withLock { $0.append(contentsOf: more.dropLast()) }
    return more[63]
  }

  /// Releases the generation of a node that no longer exists and has no turns.
  @usableFromInline @inline(never) package static func release(_ generation: TurnGeneration) {
    free.withLock { $0.append(generation) }
  }
}
