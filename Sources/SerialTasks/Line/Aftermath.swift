/// What a lock section decided to wake, carried out of the lock.
@usableFromInline
package enum Wake: Sendable {
  case nobody
  case one(Suspension)
  case many([Suspension])

  /// Adds the waiter's suspension; one that has not parked yet has none, and finds the decision when it does.
  @usableFromInline
  package mutating func add(_ waiter: Waiter) {
    guard let suspension = waiter.takeSuspension() else { return }
    switch self {
    case .nobody: self = .one(suspension)
    case .one(let first): self = .many([first, suspension])
    case .many(var suspensions):
      self = .nobody  // so that the array is not copied
      suspensions.append(suspension)
      self = .many(suspensions)
    }
  }

  @usableFromInline
  package consuming func carryOut() {
    switch self {
    case .nobody: break
    case .one(let suspension): suspension.resume()
    case .many(let suspensions): for suspension in suspensions { suspension.resume() }
    }
  }
}

/// What a handover asks for, taken out of the waiters under the lock and carried out after it.
@usableFromInline
package struct Aftermath: Sendable {
  private(set) var wake = Wake.nobody
  private(set) var raise: LineState.Raise?
  /// Has the turn, and no task yet.
  var starting: Submission?

  /// Also lets this one go on.
  mutating func wake(_ waiter: Waiter) { wake.add(waiter) }

  /// - Parameters:
  ///   - handover: What was decided.
  ///   - wake: Those who go on before whoever the turn goes to, and before those who drain.
  init(_ handover: LineState.Handover, after wake: Wake = .nobody) {
    self.wake = wake
    switch handover {
    case .nobody: break
    case .granted(let waiter, let raise):
      self.raise = raise
      starting = waiter.starting
      waiter.letGo(into: &self.wake)
    case .idle(let drainers): for waiter in drainers { self.wake.add(waiter) }
    }
  }
}

extension Line {
  @usableFromInline
  func carryOut(_ aftermath: Aftermath) {
    if let raise = aftermath.raise { carryOut(raise) }
    aftermath.wake.carryOut()
    if let job = aftermath.starting { start(job) }
  }

  func carryOut(_ raise: LineState.Raise) {
    for waiter in raise.submitted {
      for task in state.withLock({ _ in waiter.raise(to: raise.priority) }) { task.raise(to: raise.priority) }
    }
    raise.holder?.raise(to: raise.priority)
  }
}
