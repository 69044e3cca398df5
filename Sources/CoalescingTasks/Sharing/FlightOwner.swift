/// Owns flights: starts their tasks, and lets callers wait until a flight ends or they leave.
@usableFromInline
package protocol FlightOwner: WaitingRoom {
  /// Runs the closure under the lock that the flights' fields are behind.
  func locked<Result: Sendable>(_ body: () -> Result) -> Result

  /// Measures how long its callers wait.
  var clock: AnyClock { get }

  /// Lets the caller leave, if it still waits: its task was cancelled, or it must not wait.
  func leave(_ flight: AnyFlight, _ caller: Waiter, _ why: JobRejection)

  /// Returns which turns must end before the caller goes on.
  func blockers(of flight: AnyFlight, _ caller: Waiter) -> Blockers

  /// Whether anything is reported.
  var reports: Bool { get }

  /// Reports that a caller has left the flight; called only if anything is reported.
  func report(_ kind: TaskEvent.Kind, of flight: AnyFlight, _ caller: Waiter)
}

extension FlightOwner {
  /// Takes over the task that was made for a flight (``Task/starting(_:_:now:_:)``); returns whether the flight has landed.
  @_alwaysEmitIntoClient @inline(never)
  package func attach(_ task: Task<Void, Never>, to flight: AnyFlight) -> Bool {
    switch locked({ flight.attach(task) }) {
    case .nothing: return false
    case .landed: return true
    case .escalate(let priority): task.escalate(to: priority)
    case .cancel: task.cancel()
    }
    return false
  }

  /// Waits until the flight lands, as a caller that leaves when its task is cancelled; ``takeRejection(of:from:)`` says how it
  /// went.
  @_alwaysEmitIntoClient
  package func wait(isolation: isolated (any Actor)? = #isolation, for flight: AnyFlight, _ caller: FlightCaller) async
  {
    caller.flight = flight
    if HeldTurn.innermost == nil || mayWait(for: flight, caller) {
      await wait(isolation: isolation, caller)
    } else {
      caller.endWait()
    }
  }

  /// Returns why a caller that has waited does not get the flight's answer, if it does not, and reports that.
  @_alwaysEmitIntoClient @inline(never)
  package func takeRejection(of caller: Waiter, from flight: AnyFlight) -> JobRejection? {
    let (why, unwanted) = locked { (caller.rejection, caller.handle.take()) }
    // The last caller to leave cancels the operation only now: what is called for that is foreign, and while the caller was
    // resumed the runtime held a lock of its task.
    unwanted?.cancel()
    // A withdrawal is reported by its cause.
    if let why, why.isOwn, reports { report(.left(why), of: flight, caller) }
    return why
  }

  /// The operation itself is in the way, where nothing else is.
  @usableFromInline
  package func blockers(of flight: AnyFlight, _ caller: Waiter) -> Blockers {
    locked { caller.isWaiting ? .all([flight]) : .none }
  }

  /// Lets a caller wait that holds turns, unless it would wait for itself; returns whether it is to wait.
  @usableFromInline
  package func mayWait(for flight: AnyFlight, _ caller: FlightCaller) -> Bool {
    switch admit(caller, label: flight.label, { locked { caller.isWaiting ? .waiting(ahead: 0) : .granted } }) {
    case .granted, .waiting: true
    case .rejected: false
    }
  }

  @_alwaysEmitIntoClient @inline(never)
  package func park(_ caller: Waiter, _ suspension: Suspension) -> Bool {
    let start = WaitStart(at: clock.now)
    return locked {
      caller.start = start
      return caller.park(suspension)
    }
  }

  @_alwaysEmitIntoClient
  package func leave(_ caller: Waiter, _ why: JobRejection) { leave(flight(of: caller), caller, why) }

  @_alwaysEmitIntoClient
  package func blockers(of caller: Waiter) -> Blockers { blockers(of: flight(of: caller), caller) }

  /// Safe because only callers of flights wait in an owner of flights, and each knows its flight before it waits.
  @_alwaysEmitIntoClient
  package func flight(of caller: Waiter) -> AnyFlight { unsafeDowncast(caller, to: FlightCaller.self).flight! }
}
