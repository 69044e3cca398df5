/// The shell around ``LineState``: it takes the lock, lets the state decide, unlocks, and does what was decided.
///
/// Everything that has to run in order parks here. The generic way through the line, which has to be specialised in the
/// client, is in `Line+Perform.swift`; the rest is compiled once.
@usableFromInline
package class Line: TurnHolder, @unchecked Sendable {
  // Safe because the state is behind its lock and the rest is immutable; `@unchecked` is inherited from `TurnHolder`.

  @usableFromInline final let state: Lock<LineState>
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
    super.init(slot: .take())
  }

  deinit { TurnSlot.giveBack(slot) }

  package override var label: String { name ?? TurnHolder.shortID("\(type)", of: ObjectIdentifier(self)) }
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
      if let raise { carryOut(raise) }
      report(.waiting, waiter)
    case .rejected(let why):
      report(.rejected(why), waiter.name, nil)
      waiter.settle(rejected: why)
    }
    return arrival
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
