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

/// A caller that waits for a flight.
///
/// Safe like ``Waiter``.
@usableFromInline
package class FlightCaller: Caller, @unchecked Sendable {
  /// The flight that it began to wait for.
  ///
  /// Safe because it is used only while the caller waits, and then the call that waits holds the flight.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var flight: AnyFlight?
  /// Whether it leaves rather than wait for what has not begun; set before it joins.
  @exclusivity(unchecked) @usableFromInline package final var hasNoTime = false
  @exclusivity(unchecked) private final var outerTurn: DoubtfulTurn?

  @usableFromInline
  package init(name: String? = nil, priority: UInt8 = 0) { super.init(.caller, name: name, priority: priority) }

  package final override var startedIn: DoubtfulTurn? {
    get { outerTurn }
    set { outerTurn = newValue }
  }
}

/// A caller that may be carried over to another flight while it waits.
///
/// Safe like ``Waiter``.
@usableFromInline
package final class CarriedCaller<Carrier: AnyFlight>: FlightCaller, @unchecked Sendable {
  /// What it waits for now; the last of them when it has been answered.
  @exclusivity(unchecked) @usableFromInline package var carrier: Carrier?

  @usableFromInline
  package override init(name: String? = nil, priority: UInt8 = 0) { super.init(name: name, priority: priority) }

  /// Safe only for an owner that has no other callers.
  package static func cast(_ waiter: Waiter) -> CarriedCaller { unsafeDowncast(waiter, to: CarriedCaller.self) }
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
      // One that has joined a prefetch that failed comes here again.
      if !caller.start.isMoment { caller.start = start }
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

extension Task where Failure == Never {
  /// Makes the task of a flight, which goes on to its first suspension at once where the system can, unless it must not.
  ///
  /// The marker is bound around the making of the task, which takes it along with all other task-locals: to bind it in the
  /// task would cost a closure and two switches of executor more. The operation has to begin with ``TurnMarker/bindAddress()``.
  @_alwaysEmitIntoClient @inline(__always)
  package static func starting(
    _ flight: AnyFlight, _ marker: TurnMarker, now: Bool = true,
    _ operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task<Success, Never> {
    // Safe because the closure is only handed on, once.
    nonisolated(unsafe) let operation = operation
    return TurnMarker.key.withValue(marker) {
      // The priority is said, not inherited: a task inherits what its parent began with, and not what that was raised to since.
      // Operations may lead flights whose operations lead flights: not all of them fit on one stack.
      .starting(
        now: now && !marker.isDeep, name: flight.name, priority: TaskPriority(rawValue: flight.priority), operation)
    }
  }
}
