/// Where callers wait for a decision: a line, a submitted job, what owns flights.
///
/// This is the one way to wait in this package: join unless that closes a cycle (``admit(_:label:join:)``), park, and leave
/// when the task is cancelled (``wait(isolation:_:)``).
@usableFromInline
protocol WaitingRoom: AnyObject, Sendable {
  /// Parks the waiter under the lock that its state is behind; see ``Waiter/park(_:)``.
  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool

  /// Lets the waiter leave, if it still waits: its task was cancelled, or it must not wait.
  ///
  /// The runtime calls this under a lock of that task, so it does no more than let the task go on, which reports it.
  func leave(_ waiter: Waiter, _ why: JobRejection)

  /// Decides about a waiter that goes on; returns whether it has to park again.
  func mustPark(_ waiter: Waiter) -> Bool

  /// Returns which turns must end before the waiter goes on.
  func blockers(of waiter: Waiter) -> Blockers

  /// Returns where the waiter meets a turn that is in its way.
  func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting

  /// Returns what the waiter waits for, as a test sees it that watches; `nil` if that is told elsewhere.
  func stake(of waiter: Waiter) -> Stake?
}

extension WaitingRoom {
  @inlinable
  func mustPark(_ waiter: Waiter) -> Bool { false }

  @usableFromInline
  func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting { Meeting() }

  @usableFromInline
  func stake(of waiter: Waiter) -> Stake? { nil }

  /// Joins, unless the caller holds turns and would wait for itself.
  ///
  /// - Parameters:
  ///   - waiter: Who would wait.
  ///   - isLimited: Whether the wait ends by itself after a while: then it closes no cycle, and is in none.
  ///   - isCancellable: Whether it ends when its task is cancelled.
  ///   - label: What it waits for, by name; asked only if the caller holds turns.
  ///   - join: Takes the place; returns whether the caller has to wait at all.
  /// - Returns: The cycle that the wait would close, if it was found before `join`, which then was not called. If it was found
  ///   after that, this returns `nil`: the waiter has been rejected, and learns it when it parks.
  @usableFromInline
  func admit(
    _ waiter: Waiter, isLimited: Bool = false, isCancellable: Bool = true, label: @autoclosure () -> String?,
    join: () -> Bool
  ) -> DeadlockError? {
    guard !isLimited, let held = HeldTurn.innermost, let label = label() else {
      _ = join()
      return nil
    }
    held.asks(for: stake(of: waiter), job: waiter.name)
    let wait = Wait(
      for: label, job: waiter.name, of: ObjectIdentifier(waiter), isCancellable: isCancellable,
      meeting: { self.meeting(of: waiter, with: $0) }, blockers: { self.blockers(of: waiter) })
    var mustWait = false
    let deadlock = WaitGraph.begin(wait) {
      mustWait = join()
      return mustWait
    }
    guard mustWait else { return deadlock }
    if let deadlock { leave(waiter, .deadlock(deadlock)) } else { waiter.begin(wait) }
    return nil
  }

  /// Takes a place, unless the caller holds turns and would wait for itself; then nothing has been decided about the waiter.
  ///
  /// As ``admit(_:isLimited:label:join:)`` in every other respect.
  @usableFromInline
  func admit(
    _ waiter: Waiter, isLimited: Bool, isCancellable: Bool = true, label: @autoclosure () -> String?,
    taking decide: () -> Arrival
  ) -> Arrival {
    var arrival = Arrival.granted
    let deadlock = admit(waiter, isLimited: isLimited, isCancellable: isCancellable, label: label()) {
      arrival = decide()
      if case .waiting = arrival { return true }
      return false
    }
    return deadlock.map { .rejected(.deadlock($0)) } ?? arrival
  }

  /// Waits for what is decided about the waiter, as a caller that leaves when its task is cancelled.
  @inlinable @inline(__always)
  func wait(isolation: isolated (any Actor)? = #isolation, _ waiter: Waiter) async {
    await Suspension.park(isolation: isolation, at: WaitingPlace(room: self, waiter: waiter))
    waiter.endWait()
  }
}

/// Where one waiter parks.
@usableFromInline
struct WaitingPlace<Room: WaitingRoom>: ParkingPlace {
  @usableFromInline let room: Room
  @usableFromInline let waiter: Waiter

  @inlinable @inline(__always)
  init(room: Room, waiter: Waiter) {
    self.room = room
    self.waiter = waiter
  }

  @inlinable @inline(__always)
  func park(_ suspension: Suspension) -> Bool { room.park(waiter, suspension) }

  @inlinable @inline(__always)
  func leave() { room.leave(waiter, .cancelled) }

  @inlinable @inline(__always)
  func mustPark() -> Bool { room.mustPark(waiter) }
}
