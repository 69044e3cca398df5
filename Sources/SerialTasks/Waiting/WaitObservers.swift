import Synchronization

/// Tests that wait for a condition on a room, such as a number of waiting callers.
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
  private struct Observer: Sendable {
    let latch = Latch()
    /// Called under the lock of the room.
    let isReached: @Sendable (borrowing State) -> Bool
  }

  /// Whether one of the lists is not empty; written under their lock, inside that of the room.
  ///
  /// Read without: an observer is added under the lock of the room, before its later changes.
  @usableFromInline let isObserved = Atomic(false)
  /// Those of `reached` are released after the unlock, because a condition may retain a key.
  private let lists = Lock((watching: [Observer](), reached: [Observer]()))

  @usableFromInline package init() {}

  /// Called under the lock of the room.
  @_alwaysEmitIntoClient @inline(__always)
  package func note(_ state: borrowing State) { if isObserved.load(ordering: .relaxed) { noteThoroughly(state) } }

  /// Called after the unlock.
  @_alwaysEmitIntoClient @inline(__always)
  package func tell() { if isObserved.load(ordering: .relaxed) { tellThoroughly() } }

  @usableFromInline @inline(never)
  func noteThoroughly(_ state: borrowing State) {
    lists.withLock { lists in
      for observer in lists.watching where observer.isReached(state) { lists.reached.append(observer) }
      if !lists.reached.isEmpty { lists.watching.removeAll { $0.isReached(state) } }
    }
  }

  @usableFromInline @inline(never)
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

extension WaitObservers where State: ~Copyable {
  package nonisolated(nonsending) func wait(
    in room: borrowing Lock<State>, isCancellable: Bool = true, patience: Duration? = nil,
    until isReached: @escaping @Sendable (borrowing State) -> Bool
  ) async -> JobRejection? {
    let observer = Observer(isReached: isReached)
    guard add(observer, in: room) else { return nil }
    let why = await observer.latch.wait(patience: patience, isCancellable: isCancellable)
    return why != nil && forget(observer) ? why : nil
  }

  @inline(never)
  private func add(_ observer: Observer, in room: borrowing Lock<State>) -> Bool {
    room.withLock { state in
      if observer.isReached(state) { return false }
      lists.withLock { lists in
        lists.watching.append(observer)
        isObserved.store(true, ordering: .relaxed)
      }
      return true
    }
  }

  @inline(never)
  private func forget(_ observer: Observer) -> Bool {
    lists.withLock { lists in
      guard let index = lists.watching.firstIndex(where: { $0.latch === observer.latch }) else { return false }
      lists.watching.remove(at: index)
      isObserved.store(!lists.watching.isEmpty || !lists.reached.isEmpty, ordering: .relaxed)
      return true
    }
  }
}

extension Latch {
  /// Counts the patience in ten parts, after each of which the task must get a thread: it ends only if nothing
  /// happens, not because the machine is slow.
  fileprivate nonisolated(nonsending) func wait(patience: Duration?, isCancellable: Bool) async -> JobRejection? {
    guard let patience else { return await wait(isCancellable: isCancellable) }
    for _ in 0..<10 {
      let why = await wait(atMost: patience / 10, isCancellable: isCancellable)
      if why != .late { return why }
    }
    return .late
  }
}
