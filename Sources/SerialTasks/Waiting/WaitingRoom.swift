/// Where callers wait for a decision: a line, a submitted job, an owner of flights.
///
/// The only way to wait in this package: join unless that closes a cycle
/// (``admit(_:inside:isCancellable:overtakes:label:_:)``), park, and leave when cancelled (``wait(isolation:_:)``).
@usableFromInline
package protocol WaitingRoom: AnyObject, Sendable {
  associatedtype Guest: Waiter

  /// Parks under the lock that protects the waiter's state; see ``Waiter/park(_:)``.
  func park(_ waiter: Guest, _ suspension: Suspension) -> Bool

  /// Removes the waiter if it still waits: its task was cancelled, or it must not wait.
  ///
  /// The runtime calls this under a lock of that task. So it only resumes the task, which then reports, and cancels a
  /// task that only this one has awaited, as the runtime does with child tasks.
  func leave(_ waiter: Guest, _ why: JobRejection)

  func goesOn(_ waiter: Guest)

  func blockers(of waiter: Guest) -> Blockers

  func meeting(of waiter: Guest, with turn: WaitNode) -> Meeting

  /// Returns what the waiter requests, for `potentialDeadlocks`; `nil` if that is reported elsewhere.
  func stake(of waiter: Guest) -> Stake?
}

extension WaitingRoom {
  @_alwaysEmitIntoClient
  package func goesOn(_ waiter: Guest) {}

  @usableFromInline
  package func meeting(of waiter: Guest, with turn: WaitNode) -> Meeting { Meeting() }

  @usableFromInline
  package func stake(of waiter: Guest) -> Stake? { nil }

  /// Takes a place, and leaves it again if the caller would wait for itself.
  ///
  /// `held` is the caller's innermost turn; without one, or for a wait with a limit, it is `nil`: there is no cycle, and
  /// `label` is not read. `overtakes` says whether it goes ahead of jobs that already wait.
  @usableFromInline
  package func admit(
    _ waiter: Guest, inside held: HeldTurn? = .innermost, isCancellable: Bool = true, overtakes: Bool = false,
    label: @autoclosure () -> String?, _ decide: () -> Arrival
  ) -> Arrival {
    guard let held, let label = label() else { return decide() }
    return admit(waiter, holding: held, isCancellable: isCancellable, overtakes: overtakes, label: label, decide)
  }

  /// Not inlined, as most callers hold no turn, nor specialized for each room, which would be 8 KB of each client.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private func admit(
    _ waiter: Guest, holding held: HeldTurn, isCancellable: Bool, overtakes: Bool, label: String,
    _ decide: () -> Arrival
  ) -> Arrival {
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
      // A pausing caller whose wait has ended meanwhile has paused, and does not leave. A withdrawn caller finds that
      // when it parks.
      guard let why = waiter.rejection else { return .granted }
      if case .deadlock = why { return .rejected(why) }
      return arrival
    }
    if arrival.isWait { waiter.begin(wait) }
    return arrival
  }

  /// Waits; `arrive` is called where a cancellation is already noticed, and returns whether the caller has to wait.
  @_alwaysEmitIntoClient @inline(__always)
  package func wait(
    isolation: isolated (any Actor)? = #isolation, _ waiter: Guest, arriving arrive: () -> Bool = { true }
  ) async {
    await Suspension.park(isolation: isolation, at: WaitingPlace(room: self, waiter: waiter), arriving: arrive)
    waiter.endWait()
  }
}

@usableFromInline
struct WaitingPlace<Room: WaitingRoom>: ParkingPlace {
  @usableFromInline let room: Room
  @usableFromInline let waiter: Room.Guest

  @inlinable @inline(__always)
  init(room: Room, waiter: Room.Guest) {
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
