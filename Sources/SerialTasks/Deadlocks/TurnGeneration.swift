import Synchronization

/// The running turn of a node: its number, and where its marker is bound, in memory that is never freed.
///
/// A marker may outlive its node, in a task that the job started, which must still be able to check the turn. So later
/// nodes reuse a generation, in which no number is used twice.
///
/// Only one turn of a generation runs at a time, and only its job calls ``begin()``, ``bind(at:)`` and ``end(_:)``.
@usableFromInline
package struct TurnGeneration: @unchecked Sendable {
  // Safe because the memory is never freed and contains only atomics.

  private struct Turn: ~Copyable {
    /// Odd while a turn runs, and then its number.
    let count = Atomic<UInt64>(0)
    /// Where the turn's marker is bound, or its task if the probe is wrong; 0 between turns.
    let address = Atomic<UInt>(0)
  }

  private let running: UnsafeMutablePointer<Turn>

  private init(at running: UnsafeMutablePointer<Turn>) {
    self.running = running
    running.initialize(to: Turn())
  }

  static let ofNoTurn = TurnGeneration(at: .allocate(capacity: 1))

  /// Returns whether this turn is running, to any task at any time.
  ///
  /// Relaxed: a task that is certainly inside the turn has seen it begin, and any other may treat it as ended.
  func isGoingOn(_ turn: UInt64) -> Bool { running.pointee.count.load(ordering: .relaxed) == turn }

  /// Returns whether the running turn's marker is bound at this address, to any task at any time.
  ///
  /// Relaxed: what is at the address was allocated after every earlier turn with that address had ended.
  func isBound(at address: UInt) -> Bool { running.pointee.address.load(ordering: .relaxed) == address }

  /// Only for code that is certainly inside the turn.
  var turn: UInt64 { running.pointee.count.load(ordering: .relaxed) }

  func begin() -> UInt64 {
    let turn = turn &+ 1
    running.pointee.count.store(turn, ordering: .relaxed)
    return turn
  }

  func bind(at address: UInt) { running.pointee.address.store(address, ordering: .relaxed) }

  func end(_ turn: UInt64) {
    running.pointee.address.store(0, ordering: .relaxed)
    running.pointee.count.store(turn &+ 1, ordering: .relaxed)
  }
}

extension TurnGeneration: Equatable {
  var identity: UInt { UInt(bitPattern: running) }
}

extension TurnGeneration {
  private static let free = Lock<[TurnGeneration]>([])

  @usableFromInline @inline(never) package static func take() -> TurnGeneration {
    free.withLock { $0.popLast() } ?? takeOfMore()
  }

  /// Allocates many at once: a single one takes four times its size.
  private static func takeOfMore() -> TurnGeneration {
    _ = StorageProbe.isChecked
    let memory = UnsafeMutablePointer<Turn>.allocate(capacity: 64)
    let more = (0..<64).map { TurnGeneration(at: memory + $0) }
    free.withLock { $0.append(contentsOf: more.dropLast()) }
    return more[63]
  }

  @usableFromInline @inline(never) package static func release(_ generation: TurnGeneration) {
    free.withLock { $0.append(generation) }
  }
}
