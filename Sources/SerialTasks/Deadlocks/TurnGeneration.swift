import Synchronization

/// Says which turn of a node is going on, in memory that is never freed.
///
/// A marker may outlive the node of its turn, in a task that the job started; code that finds it must be able to ask whether
/// the turn is still going on before it follows anything else. So generations are handed on from one node to the next and never
/// freed, and turns are counted by the generation, never twice. There are as many as there were nodes at any one time.
///
/// Only one turn of a generation goes on at a time, and only its job calls ``begin()`` and ``end(_:)``.
@usableFromInline
package struct TurnGeneration: @unchecked Sendable {
  // Safe because the memory is never freed, and holds nothing but an atomic.

  /// Odd while a turn goes on, and then that turn's number.
  private let count: UnsafeMutablePointer<Atomic<UInt64>>

  private init(at count: UnsafeMutablePointer<Atomic<UInt64>>) {
    self.count = count
    count.initialize(to: Atomic(0))
  }

  /// A generation that is no node's.
  static let ofNoTurn = TurnGeneration(at: .allocate(capacity: 1))

  /// Returns whether this turn has begun and not ended; to be asked by any task, at any time.
  ///
  /// Relaxed: a task that is certainly inside the turn has seen it begin, and any other may take it for ended.
  func isGoingOn(_ turn: UInt64) -> Bool { count.pointee.load(ordering: .relaxed) == turn }

  func begin() -> UInt64 {
    let turn = count.pointee.load(ordering: .relaxed) &+ 1
    count.pointee.store(turn, ordering: .relaxed)
    return turn
  }

  func end(_ turn: UInt64) { count.pointee.store(turn &+ 1, ordering: .relaxed) }
}

extension TurnGeneration: Equatable {
  /// What tells it from all others.
  var identity: UInt { UInt(bitPattern: count) }
}

extension TurnGeneration {
  private static let free = Lock<[TurnGeneration]>([])

  /// Returns a generation for a node that was just made.
  @usableFromInline package static func take() -> TurnGeneration { free.withLock { $0.popLast() } ?? takeOfMore() }

  /// Makes many at once, because one by itself would take four times its size.
  private static func takeOfMore() -> TurnGeneration {
    TaskReference.checkLayout()
    _ = StorageProbe.isChecked
    let memory = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 64)
    let more = (0..<64).map { TurnGeneration(at: memory + $0) }
    free.withLock { $0.append(contentsOf: more.dropLast()) }
    return more[63]
  }

  /// Notes that the node is gone, and so are its turns.
  @usableFromInline package static func release(_ generation: TurnGeneration) {
    free.withLock { $0.append(generation) }
  }
}
