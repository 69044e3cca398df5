extension Line {
  /// Waits for the waiter's turn, as a caller that leaves when its task is cancelled.
  ///
  /// - Returns: `nil` if the turn is the waiter's and its job runs now; why not, if it was rejected.
  @usableFromInline
  func wait(isolation: isolated (any Actor)?, _ waiter: Waiter) async -> JobRejection? {
    let why = await Suspension.leavable(isolation: isolation, leave: { self.leave(waiter) }) {
      await waitSubmitted(isolation: isolation, waiter)
    }
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
      case .waitAgain: continue
      case .rejected(let why): return why
      }
    }
  }

  func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    state.withLock { _ in
      guard waiter.isWaiting else { return false }
      waiter.suspension = suspension
      return true
    }
  }

  private enum Begun {
    case run
    case waitAgain
    case rejected(JobRejection)
  }

  private func begin(_ waiter: Waiter) -> Begun {
    let turnedAway = state.withLock { state -> (beginning: LineState.Beginning, aftermath: Aftermath?)? in
      if state.beginAtOnce(waiter) { return nil }
      let beginning = state.begin(waiter)
      if case .turnedAway(_, let handover) = beginning { return (beginning, Aftermath(handover)) }
      return (beginning, nil)
    }
    switch turnedAway?.beginning {
    case nil, .run:
      report(.began, waiter)
      return .run
    case .putBack: return .waitAgain
    case .gone(let why): return .rejected(why)
    case .turnedAway(let why, _):
      report(.rejected(why), waiter)
      waiter.settle(rejected: why)
      if let aftermath = turnedAway?.aftermath { carryOut(aftermath) }
      return .rejected(why)
    }
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
