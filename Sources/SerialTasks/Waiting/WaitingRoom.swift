/// Where callers wait for a decision: a line, a submitted job, what owns flights.
///
/// This is the one way to wait in this package: join unless that closes a cycle (``admit(_:isLimited:isCancellable:label:_:)``), park, and leave
/// when the task is cancelled (``wait(isolation:_:)``).
@usableFromInline
package protocol WaitingRoom: AnyObject, Sendable {
  /// Parks the waiter under the lock that its state is behind; see ``Waiter/park(_:)``.
  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool

  /// Lets the waiter leave, if it still waits: its task was cancelled, or it must not wait.
  ///
  /// The runtime calls this under a lock of that task, so it does no more than let the task go on, which reports it.
  func leave(_ waiter: Waiter, _ why: JobRejection)

  /// Notes that the waiter goes on, whatever was decided about it.
  func goesOn(_ waiter: Waiter)

  /// Returns which turns must end before the waiter goes on.
  func blockers(of waiter: Waiter) -> Blockers

  /// Returns where the waiter meets a turn that is in its way.
  func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting

  /// Returns what the waiter waits for, as a test sees it that watches; `nil` if that is told elsewhere.
  func stake(of waiter: Waiter) -> Stake?
}

extension WaitingRoom {
  @_alwaysEmitIntoClient
  package func goesOn(_ waiter: Waiter) {}

  @usableFromInline
  package func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting { Meeting() }

  @usableFromInline
  package func stake(of waiter: Waiter) -> Stake? { nil }

  /// Takes a place, and leaves it again if the caller holds turns and would wait for itself.
  ///
  /// - Parameters:
  ///   - waiter: Who would wait.
  ///   - isLimited: Whether the wait ends by itself after a while: then it closes no cycle, and is in none.
  ///   - isCancellable: Whether it ends when its task is cancelled.
  ///   - overtakes: Whether it goes before jobs that wait already.
  ///   - label: What it waits for, by name; asked only if the caller holds turns.
  ///   - decide: Takes the place.
  /// - Returns: What was decided, or that the wait would close a cycle.
  @usableFromInline
  package func admit(
    _ waiter: Waiter, isLimited: Bool = false, isCancellable: Bool = true, overtakes: Bool = false,
    label: @autoclosure () -> String?,
    _ decide: () -> Arrival
  ) -> Arrival {
    guard !isLimited, let held = HeldTurn.innermost, let label = label() else { return decide() }
    let wait = Wait(
      for: label, job: waiter.name, isCancellable: isCancellable, overtakes: overtakes,
      meeting: { self.meeting(of: waiter, with: $0) }, blockers: { self.blockers(of: waiter) })
    var arrival = Arrival.granted
    let deadlock = WaitGraph.begin(wait) {
      arrival = decide()
      return arrival.isWait
    }
    held.asks(for: stake(of: waiter), job: waiter.name)
    if let deadlock {
      leave(waiter, .deadlock(deadlock))
      // What it waits for may have ended meanwhile: then a caller that pauses has paused, and does not leave.
      return waiter.isRejected ? .rejected(.deadlock(deadlock)) : .granted
    }
    if arrival.isWait { waiter.begin(wait) }
    return arrival
  }

  /// Waits for what is decided about the waiter, as a caller that leaves when its task is cancelled.
  @_alwaysEmitIntoClient @inline(__always)
  package func wait(isolation: isolated (any Actor)? = #isolation, _ waiter: Waiter) async {
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

  @_alwaysEmitIntoClient @inline(__always)
  func park(_ suspension: Suspension) -> Bool { room.park(waiter, suspension) }

  @_alwaysEmitIntoClient @inline(__always)
  func leave() { room.leave(waiter, .cancelled) }

  @_alwaysEmitIntoClient @inline(__always)
  func goesOn() { room.goesOn(waiter) }
}
