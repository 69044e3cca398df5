/// What flights start from: starts their tasks, and lets callers wait for them and leave.
@usableFromInline
protocol FlightOwner: AnyObject, Sendable {
  /// Runs the closure under the lock that the flights' fields are behind.
  func locked<Result: Sendable>(_ body: () -> Result) -> Result

  /// The caller's task was cancelled, or must not wait; lets it go if it still does.
  func leave(_ flight: Flight, _ caller: Waiter, _ why: JobRejection)

  /// Who stands in the caller's way.
  func blockers(of flight: Flight, _ caller: Waiter) -> Blockers
}

extension FlightOwner {
  /// Takes over the task that was made for a flight (``Task/starting(_:_:now:_:)``); returns whether the flight has landed.
  @inlinable
  func attach(_ task: Task<Void, Never>, to flight: Flight) -> Bool {
    switch locked({ flight.attach(task) }) {
    case .nothing: return false
    case .landed: return true
    case .raise(let priority): task.raise(to: priority)
    case .cancel: task.cancel()
    }
    return false
  }

  /// Waits until the flight lands, as a caller that leaves when its task is cancelled; ``takeRejection(of:)`` says how it went.
  @inlinable
  func wait(isolation: isolated (any Actor)? = #isolation, for flight: Flight, _ caller: Waiter) async {
    guard HeldTurn.innermost == nil || beginHolding(flight, caller) else { return }
    await Suspension.park(
      isolation: isolation, leave: { self.leave(flight, caller, .cancelled) }, register: { self.park(caller, $0) })
    if let wait = caller.wait.take() { WaitGraph.end(wait) }
  }

  /// Why a caller that has waited does not get the flight's answer, if it does not.
  @inlinable
  func takeRejection(of caller: Waiter) -> JobRejection? {
    let (why, unwanted) = locked { (caller.rejection, caller.handle.take()) }
    // Whoever is last to leave cancels the operation only now: what is called for that is foreign, and while the caller was
    // let go the runtime held a lock of its task.
    unwanted?.cancel()
    return why
  }

  /// Lets a caller wait that holds turns, unless it would wait for itself; returns whether it is to wait.
  @usableFromInline
  func beginHolding(_ flight: Flight, _ caller: Waiter) -> Bool {
    let wait = Wait(for: flight.label) { self.blockers(of: flight, caller) }
    let deadlock = WaitGraph.begin(wait) { locked { caller.isWaiting } }
    guard let deadlock else {
      caller.wait = wait
      return true
    }
    leave(flight, caller, .deadlock(deadlock))
    return false
  }

  /// Tells of it if the caller's task was started in the operation that it waits for, and the two get nowhere.
  func watch(_ flight: Flight, _ caller: Waiter, tell: @escaping @Sendable (TaskEvent.Kind) -> Void) {
    let isWaiting = { @Sendable [weak self, weak caller] in
      guard let self, let caller else { return false }
      return locked { caller.isWaiting }
    }
    StallWatch.begin(
      blockers: { blockers(of: flight, caller) }, isWaiting: isWaiting, name: { $0.job }, tell: { tell })
  }

  @inlinable
  func park(_ caller: Waiter, _ suspension: Suspension) -> Bool {
    locked {
      guard caller.isWaiting else { return false }
      caller.suspension = suspension
      return true
    }
  }
}

extension Task where Failure == Never {
  /// Makes the task of a flight, which goes on to its first suspension at once where the system can, unless it must not.
  ///
  /// The marker is bound around the making of the task, which takes it along with all other task-locals: to bind it in the
  /// task would cost a closure and two switches of executor more. The operation has to begin with ``TurnMarker/settle()``.
  @inlinable @inline(__always)
  static func starting(
    _ flight: Flight, _ marker: TurnMarker, now: Bool = true,
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
