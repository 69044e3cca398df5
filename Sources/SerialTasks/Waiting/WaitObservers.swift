import Synchronization

/// Tests that wait until so many callers wait in a room: the callers of `waits(for:)` of the product SerialTasksTesting.
///
/// When one more waits in a room, two things are done. Under the lock, ``note(_:)`` finds the observers that have seen enough,
/// so that no moment is missed. After the unlock, ``tell()`` lets them go on. While no one observes, each of the two is one
/// relaxed load. A line that is free calls neither.
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
  private struct Lists: ~Copyable, Sendable {
    var watching = WaiterList()
    var reached = WaiterList()
  }

  /// Whether one of the lists has an element; written under the lock.
  ///
  /// Read without it: who watches was added under the lock of the room, and so before what the room notes after that.
  @usableFromInline let isObserved = Atomic(false)
  private let lists = Lock(Lists())

  @usableFromInline package init() {}

  /// Notes that one more may wait; to be called under the lock of the room.
  @inlinable @inline(__always)
  package func note(_ state: borrowing State) { if isObserved.load(ordering: .relaxed) { noteThoroughly(state) } }

  /// Resumes those that have seen enough; to be called after the unlock.
  @inlinable @inline(__always)
  package func tell() { if isObserved.load(ordering: .relaxed) { tellThoroughly() } }

  @usableFromInline @inline(never)
  func noteThoroughly(_ state: borrowing State) {
    lists.withLock { lists in
      for waiter in lists.watching.elements where observer(waiter).isReached(state) {
        lists.watching.remove(waiter)
        waiter.state = .granted
        lists.reached.append(waiter)
      }
    }
  }

  @usableFromInline @inline(never)
  func tellThoroughly() {
    let resumed = lists.withLock { lists in
      var resumed = Few<Suspension>.none
      lists.reached.removeAll { resumed.append(waiter: $0) }
      isObserved.store(!lists.watching.isEmpty, ordering: .relaxed)
      return resumed
    }
    resumed.resumeAll()
  }

  /// Safe because only observers are in the lists.
  private func observer(_ waiter: Waiter) -> WaitObserver<State> {
    unsafeDowncast(waiter, to: WaitObserver<State>.self)
  }
}

/// A test that waits until so many wait.
///
/// Safe because it adds only what is immutable.
private final class WaitObserver<State: ~Copyable & Sendable>: Caller, @unchecked Sendable {
  /// Asked under the lock of the room.
  let isReached: @Sendable (borrowing State) -> Bool

  init(_ isReached: @escaping @Sendable (borrowing State) -> Bool) {
    self.isReached = isReached
    super.init(.caller)
  }
}

// MARK: - Waiting

extension WaitObservers: WaitingRoom where State: ~Copyable {
  /// Returns when this holds of the room, at once if it does already; throws when the calling task is cancelled.
  ///
  /// - Parameters:
  ///   - room: The state of the room, which notes.
  ///   - isReached: Whether enough wait; asked under the lock.
  /// - Throws: `CancellationError`.
  package nonisolated(nonsending) func wait(
    in room: borrowing Lock<State>, until isReached: @escaping @Sendable (borrowing State) -> Bool
  ) async throws {
    let observer = WaitObserver(isReached)
    guard add(observer, in: room) else { return }
    await wait(observer)
    if observer.isRejected { throw CancellationError() }
  }

  /// Returns whether it has to wait.
  @inline(never)
  private func add(_ observer: WaitObserver<State>, in room: borrowing Lock<State>) -> Bool {
    room.withLock { state in
      if observer.isReached(state) { return false }
      lists.withLock { lists in
        lists.watching.append(observer)
        isObserved.store(true, ordering: .relaxed)
      }
      return true
    }
  }

  @usableFromInline
  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool { lists.withLock { _ in waiter.park(suspension) } }

  @usableFromInline
  func leave(_ waiter: Waiter, _ why: JobRejection) {
    let suspension = lists.withLock { lists -> Suspension? in
      guard waiter.isWaiting else { return nil }
      lists.watching.remove(waiter)
      waiter.reject(why)
      isObserved.store(!lists.watching.isEmpty || !lists.reached.isEmpty, ordering: .relaxed)
      return waiter.takeSuspension()
    }
    suspension?.resume()
  }

  /// Returns no turn: it waits for callers that come.
  @usableFromInline
  func blockers(of waiter: Waiter) -> Blockers { .none }
}
