extension Line {
  /// Waits for the waiter's turn, as a caller that leaves when its task is cancelled.
  ///
  /// - Returns: `nil` if the turn is the waiter's and its job runs now; why not, if it was rejected.
  @usableFromInline
  func wait(isolation: isolated (any Actor)?, _ waiter: Waiter) async -> JobRejection? {
    let why = await Suspension.leavable(isolation: isolation, leave: { self.leave(waiter) }) {
      await waitSubmitted(isolation: isolation, waiter)
    }
    if waiter.wait != nil { WaitGraph.endWait(of: waiter) }
    // Also a caller that was put back and left may just be raised by somebody who saw it hold the turn.
    if why != nil, let pin = state.withLock({ _ in waiter.pin }) { await pin.released(isolation: isolation) }
    return why
  }

  /// The same for the task of a submitted job, which nobody can cancel but through its handle.
  @usableFromInline
  func waitSubmitted(isolation: isolated (any Actor)?, _ waiter: Waiter) async -> JobRejection? {
    while true {
      await Suspension.park(isolation: isolation, register: { self.park(waiter, $0) })
      switch begin(waiter) {
      case .run: return nil
      case .putBack: continue
      case .gone(let why): return why
      case .turnedAway(let why):
        _ = finish(waiter.place)
        return why
      }
    }
  }

  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    state.withLock { _ in
      guard waiter.isWaiting || waiter.awaitsTask else { return false }
      waiter.suspension = suspension
      return true
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
    let ended = state.withLock { state -> (pin: EscalationPin?, aftermath: Aftermath)? in
      if state.finishAlone(place) { return nil }
      let ending = state.finish(place)
      return (ending.pin, Aftermath(ending.handover))
    }
    guard let ended else { return nil }
    carryOut(ended.aftermath)
    return ended.pin
  }
}
