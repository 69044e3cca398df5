/// The shell around ``LineState``: it takes the lock, lets the state decide, unlocks, and does what was decided.
///
/// Everything that has to run in order parks here. The generic way through the line, which has to be specialised in the
/// client, is in `Line+Perform.swift`; this part is compiled once.
@usableFromInline
package final class Line: TurnHolder, @unchecked Sendable {
  // Safe because the state is behind its lock and the rest is immutable; `@unchecked` is inherited from `TurnHolder`.

  private let state: Lock<LineState>
  private let onEvent: (@Sendable (TaskEvent) -> Void)?

  package init(
    name: String?, type: StaticString, capacity: Int?, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    // Not a precondition: those say nothing in release builds.
    if let capacity, capacity < 1 { fatalError("capacity must be at least 1, and is \(capacity)") }
    self.state = Lock(LineState(capacity: capacity))
    self.onEvent = onEvent
    super.init(name: name, type: type)
  }
}

// MARK: - Arriving

extension Line {
  @usableFromInline
  enum Ticket {
    /// The line was free: the turn is the caller's, at this place.
    case granted(Place)
    /// The caller has a place, and ``wait(isolation:_:)`` to go through.
    case waiting(Waiter)
    case rejected(JobRejection)
  }

  /// Takes the turn or a place for the calling task, before it can suspend.
  @usableFromInline
  func arrive(named name: String?) -> Ticket {
    if Task.isCancelled { return refuse(.cancelled, name) }
    let task = TaskReference.current
    switch state.withLock({ $0.enter(name: name, task: task) }) {
    case .granted(let place):
      if onEvent != nil { report(.began, name, place) }
      return .granted(place)
    case .busy: return arriveBusy(Waiter(name: name, priority: Task.currentPriority.rawValue, task: task))
    case .rejected(let why): return refuse(why, name)
    }
  }

  @inline(never)
  private func arriveBusy(_ waiter: Waiter) -> Ticket {
    if let deadlock = HeldTurn.cycle(closedBy: self) { return refuse(.deadlock(deadlock), waiter.name) }
    return if case .rejected(let why) = join(waiter) { .rejected(why) } else { .waiting(waiter) }
  }

  @inline(never)
  private func refuse(_ why: JobRejection, _ name: String?) -> Ticket {
    report(.rejected(why), name, nil)
    return .rejected(why)
  }

  /// Gives the waiter its place, if it gets one.
  @usableFromInline
  func join(_ waiter: Waiter) -> LineState.Arrival {
    let arrival = state.withLock { $0.join(waiter) }
    switch arrival {
    case .granted: break
    case .waiting(let raise):
      report(.waiting, waiter)
      if let raise { carryOut(raise) }
    case .rejected(let why):
      report(.rejected(why), waiter.name, nil)
      waiter.settle(rejected: why)
    }
    return arrival
  }
}

// MARK: - Waiting, beginning, finishing

extension Line {
  /// Waits for the waiter's turn, as a caller that leaves when its task is cancelled.
  ///
  /// - Returns: `nil` if the turn is the waiter's and its job runs now; why not, if it was rejected.
  @usableFromInline
  func wait(isolation: isolated (any Actor)?, _ waiter: Waiter) async -> JobRejection? {
    while true {
      await Suspension.park(
        isolation: isolation, leave: { self.leave(waiter) }, register: { self.park(waiter, $0) })
      switch begin(waiter, isCancelled: Task.isCancelled) {
      case .run: return nil
      case .putBack: continue
      case .rejected(let why, _):
        if let pin = state.withLock({ _ in waiter.pin }) { await pin.released(isolation: isolation) }
        return why
      }
    }
  }

  /// The same for the task of a submitted job, which nobody can cancel but through its handle.
  @usableFromInline
  func waitSubmitted(isolation: isolated (any Actor)?, _ waiter: Waiter) async -> JobRejection? {
    while true {
      await Suspension.park(isolation: isolation, register: { self.park(waiter, $0) })
      switch begin(waiter, isCancelled: false) {
      case .run: return nil
      case .putBack: continue
      case .rejected(let why, _): return why
      }
    }
  }

  private func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    state.withLock { _ in
      guard waiter.standing == .waiting else { return false }
      waiter.suspension = suspension
      return true
    }
  }

  private func begin(_ waiter: Waiter, isCancelled: Bool) -> LineState.Beginning {
    let (beginning, aftermath) = state.withLock { state -> (LineState.Beginning, Aftermath?) in
      let held = state.turn.waiter === waiter
      let beginning = state.begin(waiter, isCancelled: isCancelled)
      guard case .rejected(_, let handover) = beginning, held else { return (beginning, nil) }
      return (beginning, Aftermath(handover))
    }
    switch beginning {
    case .run: report(.began, waiter)
    case .putBack: break
    case .rejected(let why, _):
      // Whoever took the waiter out of the line has told of it; here only a turn that is passed on is new.
      guard let aftermath else { break }
      report(.rejected(why), waiter)
      waiter.settle(rejected: why)
      carryOut(aftermath)
    }
    return beginning
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

// MARK: - Leaving

extension Line {
  /// A caller was cancelled, or a submitted job was.
  private func leave(_ waiter: Waiter) {
    let (own, aftermath) = state.withLock { state -> (Suspension?, Aftermath?) in
      guard case .left(let handover) = state.leave(waiter) else { return (nil, nil) }
      return (waiter.suspension.take(), Aftermath(handover))
    }
    guard let aftermath else { return }
    report(.rejected(.cancelled), waiter)
    waiter.settle(rejected: .cancelled)
    own?.resume()
    carryOut(aftermath)
  }

  func withdrawAll() {
    let (withdrawal, wake, aftermath, handle) = state.withLock { state in
      let withdrawal = state.withdrawAll()
      let wake = Wake.many(withdrawal.waiters.compactMap { $0.suspension.take() })
      withdrawal.running?.isCancelled = true
      return (withdrawal, wake, Aftermath(withdrawal.handover), withdrawal.running?.handle)
    }
    for waiter in withdrawal.waiters {
      report(.rejected(.withdrawn), waiter)
      waiter.settle(rejected: .withdrawn)
    }
    handle?.cancel()
    wake.carryOut()
    carryOut(aftermath)
  }
}

// MARK: - Submitted jobs

extension Line {
  /// Hands the line the task that was made for a waiter, so that it can be raised and cancelled, as it may be already.
  @usableFromInline
  func attach(_ handle: Task<Void, Never>, to waiter: Waiter) {
    let (isCancelled, raisedTo) = state.withLock { _ in
      waiter.handle = handle
      return (waiter.isCancelled, waiter.raisedTo)
    }
    if isCancelled { handle.cancel() }
    if raisedTo > waiter.priority { handle.raise(to: raisedTo) }
  }

  func cancel(_ waiter: Waiter) {
    let handle = state.withLock { _ in
      waiter.isCancelled = true
      return waiter.handle
    }
    leave(waiter)
    handle?.cancel()
  }

  func isCancelled(_ waiter: Waiter) -> Bool { state.withLock { _ in waiter.isCancelled } }

  /// Somebody awaits the submitted job: it and all that is ahead of it should not run at a lower priority.
  func raise(_ waiter: Waiter, to priority: UInt8) {
    let (raise, handle) = state.withLock { state -> (LineState.Raise?, Task<Void, Never>?) in
      guard waiter.raisedTo < priority else { return (nil, nil) }
      waiter.raisedTo = priority
      return (waiter.standing == .waiting ? state.raise(aheadOf: waiter, to: priority) : nil, waiter.handle)
    }
    handle?.raise(to: priority)
    if let raise { carryOut(raise) }
  }
}

// MARK: - Pausing, closing, draining

extension Line {
  func pause() { state.withLock { $0.pause() } }

  func resume() { carryOut(state.withLock { Aftermath($0.resume()) }) }

  func close() { state.withLock { $0.close() } }

  /// Returns when nothing waits or runs, or why the caller did not wait for that.
  func drain(isolation: isolated (any Actor)?) async -> JobRejection? {
    if state.withLock({ $0.isIdle }) { return nil }
    if let deadlock = HeldTurn.cycle(closedBy: self) { return .deadlock(deadlock) }
    let waiter = Waiter()
    guard state.withLock({ $0.awaitIdle(waiter) }) else { return nil }
    await Suspension.park(
      isolation: isolation,
      leave: {
        let own = self.state.withLock { $0.leaveDrain(waiter) ? waiter.suspension.take() : nil }
        own?.resume()
      }, register: { self.park(waiter, $0) })
    return state.withLock { _ in if case .rejected(let why) = waiter.standing { why } else { nil } }
  }

  var snapshot: ExecutorSnapshot {
    state.withLock { state in
      ExecutorSnapshot(
        waiting: state.waiting.count, isRunning: !state.turn.isFree, running: state.turn.name, isPaused: state.isPaused,
        isClosed: state.isClosed, capacity: state.capacity)
    }
  }
}

// MARK: - Events

extension Line {
  @usableFromInline var reports: Bool { onEvent != nil }

  @usableFromInline
  func report(_ kind: TaskEvent.Kind, _ job: String?, _ place: Place?) {
    onEvent?(TaskEvent(kind: kind, executor: label, job: job, place: place))
  }

  private func report(_ kind: TaskEvent.Kind, _ waiter: Waiter) {
    if onEvent != nil { report(kind, waiter.name, waiter.place) }
  }
}

// MARK: - Carrying out

extension Line {
  /// What a handover asks for, taken out of the waiters under the lock and carried out after it.
  private struct Aftermath: Sendable {
    private(set) var wake = Wake.nobody
    private(set) var raise: LineState.Raise?

    init(_ handover: LineState.Handover) {
      switch handover {
      case .nobody: break
      case .granted(let waiter, let raise):
        self.raise = raise
        // A waiter that has not parked yet finds the decision when it does.
        if let suspension = waiter.suspension.take() { wake = .one(suspension) }
      case .idle(let drainers): wake = .many(drainers.compactMap { $0.suspension.take() })
      }
    }
  }

  private func carryOut(_ aftermath: Aftermath) {
    if let raise = aftermath.raise { carryOut(raise) }
    aftermath.wake.carryOut()
  }

  private func carryOut(_ raise: LineState.Raise) {
    for waiter in raise.submitted { state.withLock { _ in waiter.handle }?.raise(to: raise.priority) }
    raise.holder?.raise(to: raise.priority)
  }
}
