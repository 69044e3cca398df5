/// Owns flights and starts their tasks; callers wait until a flight ends, or leave.
@usableFromInline
package protocol FlightOwner: WaitingRoom {
  /// Runs the closure under the lock that protects the flights.
  func locked<Result: Sendable>(_ body: () -> Result) -> Result

  /// Measures the waiting times of callers.
  var clock: AnyClock { get }

  /// Removes the caller if it still waits: its task was cancelled, or it must not wait.
  func leave(_ flight: AnyFlight, _ caller: Waiter, _ why: JobRejection)

  /// Returns the turns that must end before the caller resumes.
  func blockers(of flight: AnyFlight, _ caller: Waiter) -> Blockers

  /// Whether anything is reported.
  var reports: Bool { get }

  /// Reports that a caller has left the flight. Called only if `reports` is `true`.
  func report(_ kind: TaskEvent.Kind, of flight: AnyFlight, _ caller: Waiter)
}

extension FlightOwner {
  /// Stores the task that was created for a flight (``Task/starting(_:_:now:_:)``); returns whether the flight has landed.
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

  /// Waits until the flight lands, or the caller's task is cancelled; ``takeRejection(of:from:)`` returns the outcome.
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

  /// Returns and reports why a caller does not get the flight's result; `nil` if it does.
  @_alwaysEmitIntoClient @inline(never)
  package func takeRejection(of caller: Waiter, from flight: AnyFlight) -> JobRejection? {
    let (why, unwanted) = locked { (caller.rejection, caller.handle.take()) }
    // The last caller to leave cancels the operation here, not earlier: cancelling runs foreign code, and the runtime held
    // a lock of the caller's task while the caller was resumed.
    unwanted?.cancel()
    // The cause of a withdrawal reports it.
    if let why, why.isOwn, reports { report(.left(why), of: flight, caller) }
    return why
  }

  /// By default, the flight itself blocks the caller.
  @usableFromInline
  package func blockers(of flight: AnyFlight, _ caller: Waiter) -> Blockers {
    locked { caller.isWaiting ? .all([flight]) : .none }
  }

  /// Returns whether a caller that holds turns may wait: not if it would wait for itself.
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

  /// Safe because only callers of flights wait in an owner of flights, and each has its flight before it waits.
  @_alwaysEmitIntoClient
  package func flight(of caller: Waiter) -> AnyFlight { unsafeDowncast(caller, to: FlightCaller.self).flight! }
}
