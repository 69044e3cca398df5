import Synchronization

/// Tests that wait until something holds of a room, such as that so many callers wait in it: what the product
/// SerialTasksTesting waits with.
///
/// When the room changes, two things are done. Under the lock, ``note(_:)`` finds the observers that have seen enough, so that no
/// moment is missed. After the unlock, ``tell()`` lets them go on. While no one observes, each of the two is one relaxed load. A
/// line that is free calls neither.
///
/// ```
///              note, enough wait            tell
///   watching ──────────────────► reached ────────► (goes on)
///      │ leave
///      ▼
///   rejected
/// ```
///
/// The lock is taken inside that of the room.
@usableFromInline
package final class WaitObservers<State: ~Copyable & Sendable>: Sendable {
  /// A test that waits until something holds of the room.
  private struct Observer: Sendable {
    let latch = Latch()
    /// Asked under the lock of the room.
    let isReached: @Sendable (borrowing State) -> Bool
  }

  private struct Lists: Sendable {
    var watching: [Observer] = []
    /// Released after the unlock, for what they ask may hold a key.
    var reached: [Observer] = []
  }

  /// Whether one of the lists has an element; written under the lock.
  ///
  /// Read without it: who watches was added under the lock of the room, and so before what the room notes after that.
  @usableFromInline let isObserved = Atomic(false)
  private let lists = Lock(Lists())

  @usableFromInline package init() {}

  /// Notes that one more may wait; to be called under the lock of the room.
  @_alwaysEmitIntoClient @inline(__always)
  package func note(_ state: borrowing State) { if isObserved.load(ordering: .relaxed) { noteThoroughly(state) } }

  /// Resumes those that have seen enough; to be called after the unlock.
  @_alwaysEmitIntoClient @inline(__always)
  package func tell() { if isObserved.load(ordering: .relaxed) { tellThoroughly() } }

  @usableFromInline @inline(never)
  func noteThoroughly(_ state: borrowing State) {
    lists.withLock { lists in
      let reached = lists.watching.filter { $0.isReached(state) }
      if reached.isEmpty { return }
      lists.watching.removeAll { $0.isReached(state) }
      lists.reached += reached
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

// MARK: - Waiting

extension WaitObservers where State: ~Copyable {
  /// Waits until this holds of the room; not at all if it does already.
  ///
  /// - Parameters:
  ///   - room: The state of the room, which notes.
  ///   - isCancellable: Whether the wait ends when the calling task is cancelled.
  ///   - patience: How long to wait at most.
  ///   - isReached: What is to hold; asked under the lock.
  /// - Returns: Why the call did not wait for that: its task was cancelled, or it is late.
  package nonisolated(nonsending) func wait(
    in room: borrowing Lock<State>, isCancellable: Bool = true, patience: Duration? = nil,
    until isReached: @escaping @Sendable (borrowing State) -> Bool
  ) async -> JobRejection? {
    let observer = Observer(isReached: isReached)
    guard add(observer, in: room) else { return nil }
    let why = await observer.latch.wait(patience: patience, isCancellable: isCancellable)
    return why != nil && forget(observer) ? why : nil
  }

  /// Returns whether it has to wait.
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

  /// Returns whether it had not seen enough.
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
  /// Waits until the latch is open.
  ///
  /// A patience is counted in ten parts, after each of which the calling task has to be given a thread. On a busy machine, what was
  /// ready to run before has then run, ten times: so a patience is over because nothing happens, and not because all is slow.
  fileprivate nonisolated(nonsending) func wait(patience: Duration?, isCancellable: Bool) async -> JobRejection? {
    guard let patience else { return await wait(isCancellable: isCancellable) }
    for _ in 0..<10 {
      let why = await wait(atMost: patience / 10, isCancellable: isCancellable)
      if why != .late { return why }
    }
    return .late
  }
}
