import Synchronization

/// Tests that wait for a condition on a room, such as a number of waiting callers; `SerialTasksTesting` adds them.
///
/// When the room changes, ``note(_:)`` finds the observers whose condition holds, under the room's lock: no moment is
/// missed. ``tell()`` resumes them after the unlock.
///
/// ```
///              note, enough wait            tell
///   watching ──────────────────► reached ────────► (resumed)
///      │ leave
///      ▼
///   rejected
/// ```
@usableFromInline
package final class WaitObservers<State: ~Copyable>: Sendable {
  package struct Observer: Sendable {
    package let latch = Latch()
    /// Called under the lock of the room.
    package let isReached: @Sendable (borrowing State) -> Bool

    package init(isReached: @escaping @Sendable (borrowing State) -> Bool) { self.isReached = isReached }
  }

  /// Whether one of the lists is not empty; written under their lock, inside that of the room.
  ///
  /// Read without: an observer is added under the lock of the room, before its later changes.
  @usableFromInline package let isObserved = Atomic(false)
  /// Those of `reached` are released after the unlock, because a condition may retain a key.
  package let lists = Lock((watching: [Observer](), reached: [Observer]()))

  @usableFromInline package init() {}

  /// Called under the lock of the room.
  @_alwaysEmitIntoClient @inline(__always)
  package func note(_ state: borrowing State) { if isObserved.load(ordering: .relaxed) { noteThoroughly(state) } }

  /// Called after the unlock.
  @_alwaysEmitIntoClient @inline(__always)
  package func tell() { if isObserved.load(ordering: .relaxed) { tellThoroughly() } }

  @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func noteThoroughly(_ state: borrowing State) {
    lists.withLock { lists in
      for observer in lists.watching where observer.isReached(state) { lists.reached.append(observer) }
      if !lists.reached.isEmpty { lists.watching.removeAll { $0.isReached(state) } }
    }
  }

  @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func tellThoroughly() {
    let reached = lists.withLock { lists in
      let reached = lists.reached
      lists.reached = []
      isObserved.store(!lists.watching.isEmpty, ordering: .relaxed)
      return reached
    }
    for observer in reached { observer.latch.open() }
  }
}
