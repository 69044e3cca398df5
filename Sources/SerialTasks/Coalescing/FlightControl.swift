/// What flights start from: starts their tasks, and lets callers wait for them and leave.
@usableFromInline
protocol FlightControl: AnyObject, Sendable {
  /// Runs the closure under the lock that the flights' fields are behind.
  func locked<Result: Sendable>(_ body: () -> Result) -> Result

  /// The caller's task was cancelled, or must not wait; lets it go if it still does.
  func leave(_ flight: Flight, _ caller: Waiter, _ why: JobRejection)

  /// Who stands in the caller's way.
  func blockers(of flight: Flight, _ caller: Waiter) -> Blockers
}

extension FlightControl {
  /// Makes the task of a flight, which goes on to its first suspension at once where the system can, unless it must not.
  ///
  /// The marker is bound around the making of the task, which takes it along with all other task-locals: to bind it in the
  /// task would cost a closure and two switches of executor more.
  ///
  /// - Returns: Whether the flight has landed.
  @inlinable
  func start(_ flight: Flight, now: Bool = true, _ fly: sending @escaping (TurnMarker) async -> Void) -> Bool {
    // Safe because the closure is only handed on, once.
    nonisolated(unsafe) let fly = fly
    let marker = TurnMarker(taskOf: flight)
    let task = TurnMarker.key.withValue(marker) {
      // Said, not inherited: a task inherits what its parent began with, and not what that was raised to since.
      // Operations may lead flights whose operations lead flights: not all of them fit on one stack.
      Task<Void, Never>.starting(
        now: now && !marker.isDeep, name: flight.name, priority: TaskPriority(rawValue: flight.priority)
      ) {
        TurnMarker.settle()
        await fly(marker)
      }
    }
    switch locked({ flight.attach(task) }) {
    case .nothing: return false
    case .landed: return true
    case .raise(let priority): task.raise(to: priority)
    case .cancel: task.cancel()
    }
    return false
  }

  /// Waits until the flight lands, as a caller that leaves when its task is cancelled.
  ///
  /// - Returns: Why it does not get the flight's answer, if it does not.
  @inlinable
  func wait(for flight: Flight, _ caller: Waiter, isolation: isolated (any Actor)?) async -> JobRejection? {
    if HeldTurn.innermost == nil || beginHolding(flight, caller) {
      await Suspension.leavable(isolation: isolation, leave: { self.leave(flight, caller, .cancelled) }) {
        await Suspension.park(isolation: isolation) { self.park(caller, $0) }
      }
      if caller.wait != nil { WaitGraph.endWait(of: caller) }
    }
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
      blockers: { blockers(of: flight, caller) }, isWaiting: isWaiting, name: { ($0 as? Flight)?.name }, tell: tell)
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
