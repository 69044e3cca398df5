/// Who has the right to run, from the grant to the end of the job.
package enum Turn: Sendable {
  case free
  /// A caller that found the line free; it has no waiter.
  case entered(Entered)
  /// A waiter, from the moment it was granted the turn; all that is known of it stands there.
  case granted(Waiter)

  package struct Entered: Sendable {
    package let place: Place
    package let name: String?
    /// The caller's task, which runs the job.
    package let task: TaskReference?
    package var raisedTo: UInt8 = 0
    package var pin: EscalationPin?
  }
}

extension Turn {
  package var isFree: Bool { if case .free = self { true } else { false } }

  /// Whether it is that of a caller that found the line free, and that has not been raised.
  package func isOfUnraisedCaller(at place: Place) -> Bool {
    if case .entered(let caller) = self { caller.place == place && caller.pin == nil } else { false }
  }

  /// Whether the job of its holder has begun.
  package var isRunning: Bool {
    switch self {
    case .free: false
    case .entered: true
    case .granted(let waiter): waiter.state == .running
    }
  }

  package var waiter: Waiter? { if case .granted(let waiter) = self { waiter } else { nil } }

  /// The holder's place; 0, which no job has, if there is none.
  package var place: Place {
    switch self {
    case .free: 0
    case .entered(let caller): caller.place
    case .granted(let waiter): waiter.place
    }
  }

  package var name: String? {
    switch self {
    case .free: nil
    case .entered(let caller): caller.name
    case .granted(let waiter): waiter.name
    }
  }

  /// The highest priority of the holder and of all who wait behind it.
  ///
  /// A caller that found the line free is not asked for its priority, so the first waiter always raises it.
  package var raisedTo: UInt8 {
    switch self {
    case .free: .max
    case .entered(let caller): caller.raisedTo
    case .granted(let waiter): waiter.raisedTo
    }
  }

  /// Keeps the holder from returning while its task is being raised.
  package var pin: EscalationPin? {
    switch self {
    case .free: nil
    case .entered(let caller): caller.pin
    case .granted(let waiter): waiter.pin
    }
  }

  /// Notes that the holder has been raised, and holds its task still for that if it is a caller's own.
  mutating func escalate(to priority: UInt8) -> EscalationPin? {
    switch self {
    case .free: return nil
    case .entered(var caller):
      caller.raisedTo = priority
      self = .entered(caller)
    case .granted(let waiter): waiter.raisedTo = priority
    }
    return holdCaller()
  }

  /// Holds the task of the holder still, if it is a caller's own.
  mutating func holdCaller() -> EscalationPin? {
    switch self {
    case .free: return nil
    case .entered(var caller):
      caller.pin = caller.pin ?? caller.task.map(EscalationPin.init)
      self = .entered(caller)
      caller.pin?.hold()
      return caller.pin
    case .granted(let waiter): return waiter.holdCaller()
    }
  }
}
