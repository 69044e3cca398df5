/// Owns flights and starts their tasks; callers wait until a flight ends, or leave.
@usableFromInline
package protocol FlightOwner: WaitingRoom where Guest == FlightCaller<Boarded> {
  associatedtype Boarded: AnyFlight

  /// Runs the closure under the lock of the flights.
  func locked<Result: Sendable>(_ body: () -> Result) -> Result

  var clock: AnyClock { get }

  var reports: Bool { get }

  /// Reports that a caller has left; called only if `reports`.
  func report(_ kind: TaskEvent.Kind, of flight: Boarded, _ caller: Guest)
}

extension FlightOwner {
  /// Stores the task created for a flight (``Task/starting(_:_:now:_:)``); returns whether a caller still has to
  /// wait.
  @_alwaysEmitIntoClient @inline(never)
  package func attach(
    _ task: Task<Void, Never>, in marker: TurnMarker, to flight: AnyFlight, for caller: Waiter? = nil
  ) -> Arrival {
    let (priority, waits) = locked { (flight.attach(task, isDeep: marker.isDeep), caller?.isWaiting ?? false) }
    if let priority { task.escalate(to: priority) }
    return waits ? .waiting(ahead: 0) : .granted
  }

  /// Boards a flight, and waits until it lands or the caller leaves; returns why the caller gets nothing.
  ///
  /// The caller can be cancelled before it boards: then no later caller joins its flight, and its operation is
  /// cancelled with it, even while that runs inside this call.
  ///
  /// The closure boards, and starts a new flight; or is granted something else.
  @_alwaysEmitIntoClient
  package func wait(
    isolation: isolated (any Actor)? = #isolation, _ caller: Guest, boarding board: () -> Arrival
  ) async -> JobRejection? {
    var arrival = Arrival.granted
    await wait(
      isolation: isolation, caller,
      arriving: {
        arrival = board()
        return arrival.isWait && (HeldTurn.innermost == nil || mayWait(caller))
      })
    // Who has waited reads it under the lock, as ThreadSanitizer demands where the resume came before the suspension.
    return arrival.isWait || caller.flight != nil ? takeRejection(of: caller) : arrival.rejection
  }

  /// Reports and returns why a caller that has waited does not get the result; `nil` if it does.
  @_alwaysEmitIntoClient @inline(never)
  package func takeRejection(of caller: Guest) -> JobRejection? {
    let why = locked { caller.rejection }
    // The cause of a withdrawal reports it.
    if let why, why.isOwn, reports { report(.left(why), of: caller.flight!, caller) }
    return why
  }

  /// Parks the task of a flight that follows another, until it may begin or is no longer wanted.
  ///
  /// - Parameters:
  ///   - due: Until when the other can be joined, if there is a limit.
  ///   - register: Returns `false` if the flight need not wait.
  ///   - endJoining: Begins the flight: the other can no longer be joined.
  package nonisolated(nonsending) func park(
    until due: Duration?, _ register: (Suspension) -> Bool,
    endJoining: @escaping @Sendable (Self) -> FlightEffects<Boarded>
  ) async {
    let limit = due.map { due in
      TimeLimits(clock: clock).start(until: due) { [weak self] in
        if let self { carryOut(endJoining(self)) }
      }
    }
    await Suspension.park(register: register)
    limit?.end()
  }

  @usableFromInline
  package func blockers(of caller: Guest) -> Blockers {
    locked { caller.isWaiting ? .all([caller.flight!]) : .none }
  }

  /// Returns whether a caller that holds turns may wait, because it would not wait for itself.
  @usableFromInline
  package func mayWait(_ caller: Guest) -> Bool {
    let label = locked { caller.flight! }.label
    return switch admit(caller, label: label, { locked { caller.isWaiting ? .waiting(ahead: 0) : .granted } }) {
    case .granted, .waiting: true
    case .rejected: false
    }
  }

  @_alwaysEmitIntoClient @inline(never)
  package func park(_ caller: Guest, _ suspension: Suspension) -> Bool {
    let start = WaitStart(at: clock.now)
    return locked {
      caller.start = start
      return caller.park(suspension)
    }
  }
}
