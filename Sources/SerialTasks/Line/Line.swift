/// The shell around ``LineState``: it takes the lock, lets the state decide, unlocks, and does what was decided.
///
/// Everything that has to run in order parks here. The generic way through the line, which has to be specialised in the
/// client, is in `Line+Perform.swift`; the rest is compiled once.
@usableFromInline
package class Line: WaitNode, @unchecked Sendable {
  // Safe because the state is behind its lock and the rest is immutable; `@unchecked` is inherited from `WaitNode`.

  @usableFromInline package final let state: Lock<LineState>
  final let name: String?
  private final let type: StaticString
  final let onEvent: (@Sendable (TaskEvent) -> Void)?

  package init(
    name: String?, type: StaticString, capacity: Int?, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    // Not a precondition: those say nothing in release builds.
    if let capacity, capacity < 1 { fatalError("capacity must be at least 1, and is \(capacity)") }
    self.state = Lock(LineState(capacity: capacity))
    self.name = name
    self.type = type
    self.onEvent = onEvent
    super.init(generation: .take())
  }

  deinit { TurnGeneration.release(generation) }

  package override var label: String { name ?? WaitNode.shortID("\(type)", of: ObjectIdentifier(self)) }
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
    case .busy: return arriveBusy(name, task)
    case .rejected(let why): return refuse(why, name)
    }
  }

  @inline(never)
  private func arriveBusy(_ name: String?, _ task: TaskReference?) -> Ticket {
    let waiter = Waiter(name: name, priority: Task.currentPriority.rawValue, task: task)
    guard HeldTurn.innermost == nil else { return arriveHolding(waiter) }
    if case .rejected(let why) = join(waiter) { return .rejected(why) }
    if reports { watch(waiter) }
    return .waiting(waiter)
  }

  /// The same for a caller that holds turns, and must not wait for one that waits for it.
  private func arriveHolding(_ waiter: Waiter) -> Ticket {
    let wait = Wait(for: label) { self.blockers(of: waiter) }
    var arrival: LineState.Arrival?
    let deadlock = WaitGraph.begin(wait) {
      let decided = state.withLock { $0.join(waiter) }
      arrival = decided
      if case .waiting = decided { return true }
      return false
    }
    if let deadlock { return refuse(.deadlock(deadlock), waiter.name) }
    if case .waiting = arrival! { waiter.wait = wait }
    return if case .rejected(let why) = tell(waiter, arrival!) { .rejected(why) } else { .waiting(waiter) }
  }

  @inline(never)
  private func refuse(_ why: JobRejection, _ name: String?) -> Ticket {
    report(.rejected(why), name, nil)
    return .rejected(why)
  }

  /// Gives the waiter its place, if it gets one.
  @discardableResult
  @usableFromInline
  func join(_ waiter: Waiter) -> LineState.Arrival {
    tell(waiter, state.withLock { $0.join(waiter) })
  }

  @discardableResult
  private func tell(_ waiter: Waiter, _ arrival: LineState.Arrival) -> LineState.Arrival {
    switch arrival {
    case .granted: break
    case .waiting(let raise):
      if let raise { carryOut(raise) }
      report(.waiting, waiter)
    case .rejected(let why):
      report(.rejected(why), waiter.name, nil)
      waiter.settle(rejected: why)
    }
    return arrival
  }
}

// MARK: - Deadlocks

extension Line {
  /// Who stands in the way of the waiter, or of one that is about to come.
  func blockers(of waiter: Waiter?) -> Blockers { state.withLock { $0.blockers(of: waiter, node: self) } }

  /// Tells of it if the waiter's task was started in the turn that it waits for, and the two get nowhere.
  func watch(_ waiter: Waiter) {
    StallWatch.begin(blockers: { blockers(of: waiter) }) { [weak self, weak waiter] in
      guard let self, let waiter else { return false }
      return state.withLock { _ in waiter.isWaiting }
    } name: { node in
      node === self ? state.withLock { $0.turn.name } : node.job
    } tell: {
      // The label is taken now, while the waiter uses the line: later it may be the line of another key.
      { [onEvent, label, name = waiter.name, place = waiter.place] stalled in
        onEvent?(TaskEvent(kind: stalled, executor: label, job: name, place: place))
      }
    }
  }
}

extension LineState {
  func blockers(of waiter: Waiter?, node: WaitNode) -> Blockers {
    // One that has not come yet waits too.
    if let waiter, !waiter.isWaiting { return .nobody }
    if turn.isFree { return .nobody }
    return .all(turn.waiter?.batch?.nodes ?? [node])
  }
}

// MARK: - Events

extension Line {
  @usableFromInline var reports: Bool { onEvent != nil }

  @usableFromInline
  func report(_ kind: TaskEvent.Kind, _ job: String?, _ place: Place?) {
    onEvent?(TaskEvent(kind: kind, executor: label, job: job, place: place))
  }

  func report(_ kind: TaskEvent.Kind, _ waiter: Waiter) {
    if onEvent != nil { report(kind, waiter.name, waiter.place) }
  }
}
