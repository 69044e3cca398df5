import Synchronization

/// Says which turn of a holder is going on, in memory that is never freed.
///
/// A marker may outlive the holder of its turn, in a task that the job started; whoever finds it must be able to ask whether
/// the turn is still going on before it follows anything else. So slots are handed on from one holder to the next and never
/// let go, and turns are counted by the slot, never twice. There are as many as there were holders at any one time.
///
/// Only one turn of a slot goes on at a time, and whoever has it is alone in calling ``begin()`` and ``end(_:)``.
@usableFromInline
package struct TurnSlot: @unchecked Sendable {
  // Safe because the memory is never freed, and holds nothing but an atomic.

  /// Odd while a turn goes on, and then that turn's number.
  private let count: UnsafeMutablePointer<Atomic<UInt64>>

  private init() {
    count = .allocate(capacity: 1)
    count.initialize(to: Atomic(0))
  }

  /// Whether this turn has begun and not ended; to be asked by any task, at any time.
  ///
  /// Relaxed: a task that is certainly inside the turn has seen it begin, and any other may take it for ended.
  func isGoingOn(_ turn: UInt64) -> Bool { count.pointee.load(ordering: .relaxed) == turn }

  func begin() -> UInt64 {
    let turn = count.pointee.load(ordering: .relaxed) + 1
    count.pointee.store(turn, ordering: .relaxed)
    return turn
  }

  func end(_ turn: UInt64) { count.pointee.store(turn + 1, ordering: .relaxed) }
}

extension TurnSlot: Equatable {}

extension TurnSlot {
  private static let free = Lock<[TurnSlot]>([])

  /// A slot for a holder that was just made.
  @usableFromInline package static func take() -> TurnSlot { free.withLock { $0.popLast() } ?? TurnSlot() }

  /// The holder is gone, and so are its turns.
  @usableFromInline package static func giveBack(_ slot: TurnSlot) { free.withLock { $0.append(slot) } }
}
