extension Line {
  /// Waits for the waiter's turn, as a caller that leaves when its task is cancelled.
  ///
  /// When this returns its job runs, unless it was rejected (``Waiter/rejection``).
  @usableFromInline
  func wait(isolation: isolated (any Actor)?, _ waiter: Waiter) async {
    await Suspension.park(
      isolation: isolation, leave: { self.leave(waiter) }, register: { self.park(waiter, $0) },
      again: { self.mustPark(waiter) })
    if let wait = waiter.wait.take() { WaitGraph.end(wait) }
    // Also a caller that was put back and left may just be raised by somebody who saw it hold the turn.
    if waiter.isRejected, let pin = state.withLock({ _ in waiter.pin }) { await pin.released() }
  }

  /// The same for the task of a submitted job, which nobody can cancel but through its handle.
  @usableFromInline
  nonisolated(nonsending) func waitSubmitted(_ waiter: Waiter) async {
    repeat { await Suspension.park { self.park(waiter, $0) } } while mustPark(waiter)
  }

  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    state.withLock { _ in
      guard waiter.isWaiting || waiter.awaitsTask else { return false }
      waiter.suspension = suspension
      return true
    }
  }

  /// The waiter goes on: its job runs, or it learns that it was rejected; returns whether it has to wait again instead.
  ///
  /// Not inlined, or all that is needed for events would lie in the frame of a task that waits.
  @inline(never)
  private func mustPark(_ waiter: Waiter) -> Bool {
    switch begin(waiter) {
    case .run, .gone: return false
    case .putBack: return true
    case .turnedAway:
      _ = finish(waiter.place)
      return false
    }
  }

  func begin(_ waiter: Waiter) -> LineState.Beginning {
    let turnedAway = state.withLock { state in
      state.beginAtOnce(waiter) ? nil : state.begin(waiter)
    }
    switch turnedAway {
    case nil, .run:
      report(.began, waiter)
      return .run
    case .putBack: return .putBack
    case .gone(let why), .turnedAway(let why):
      // A caller tells of its own cancellation, and not the thread that cancels it, which holds a lock of its task. Every
      // other rejection is told by who causes it.
      if !waiter.isSubmitted, case .cancelled = why { report(.rejected(why), waiter) }
    }
    return turnedAway ?? .run
  }

  /// Ends the turn at this place and hands it on.
  ///
  /// - Returns: What the holder must still wait for before it returns to its caller; nearly always nothing.
  @usableFromInline
  func finish(_ place: Place) -> EscalationPin? {
    let ending = state.withLock { state -> Ending in
      if state.finishAlone(place) { return .done }
      return state.finishForNext(place).map { .handedOn(from: $0.ended, to: $0.next.takeSuspension()) } ?? .other
    }
    switch ending {
    case .done: return nil
    case .handedOn(let ended, let next):
      next?.resume()
      // Not before: whoever goes on need not wait for what is let go of.
      withExtendedLifetime(ended) {}
      return nil
    case .other: return finishThoroughly(place)
    }
  }

  private enum Ending: Sendable {
    case done
    case handedOn(from: Waiter, to: Suspension?)
    case other
  }

  @inline(never)
  private func finishThoroughly(_ place: Place) -> EscalationPin? {
    let (pin, aftermath) = state.withLock { state -> (EscalationPin?, Aftermath) in
      let ending = state.finish(place)
      return (ending.pin, Aftermath(ending.handover))
    }
    carryOut(aftermath)
    return pin
  }
}
