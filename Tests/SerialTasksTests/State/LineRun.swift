import SerialTasks

/// Drives the state and the model with the same events, and says where they first disagree.
struct LineRun: ~Copyable {
  var model: LineModel
  private var state: LineState
  /// Whether a turn is ended the short way where that is possible, as callers do.
  private let endsShortly: Bool
  /// The waiter of each job; a caller that found the line free has none.
  private var waiters: [Waiter?] = []
  private var drainer: Waiter?
  /// Who is to go on after this event: jobs by number, and the caller of `drain`.
  private var resumed: [Int] = []
  private(set) var mismatch: String?

  private static let tagOfDrainer = 100

  init(capacity: Int?, endsShortly: Bool) {
    model = LineModel(capacity: capacity)
    state = LineState(capacity: capacity)
    self.endsShortly = endsShortly
  }

  deinit {
    // No task waits for them.
    for waiter in waiters { waiter?.suspension = nil }
    drainer?.suspension = nil
  }

  /// Carries the event out and compares; those before it were compared in shorter histories.
  mutating func apply(_ event: LineModel.Event, to before: LineModel) {
    model = before
    model.apply(event)
    resumed = []
    replay(event)
    state.checkInvariants()
    compareJobs(after: event)
    compareResumed(after: event, since: before)
  }

  mutating func replay(_ event: LineModel.Event) {
    switch event {
    case .join: join(isSubmitted: true)
    case .enter: enter()
    case .begin: begin()
    case .finish: finish(state.turn.place)
    case .leave(let job): leave(job)
    case .withdraw: withdraw()
    case .tell: carryOut(state.told(state.untold))
    case .pause: state.pause()
    case .resume: carryOut(state.resume())
    case .close: state.close()
    case .drain: drain(Waiter(isDrainer: true))
    case .pauseAndWait: drain(Waiter(pauses: true))
    case .leaveDrain: if let drainer, case .left(let effects) = state.leave(drainer, .cancelled) { carryOut(effects) }
    }
  }

  private mutating func enter() {
    guard case .granted = state.enter(name: "\(waiters.count)", task: nil) else { return join(isSubmitted: false) }
    waiters.append(nil)
  }

  private mutating func join(isSubmitted: Bool) {
    let job = waiters.count
    let waiter = Waiter(name: "\(job)", isSubmitted: isSubmitted)
    waiters.append(waiter)
    let arrival = state.join(waiter)
    let hasParked = waiter.park(tag: job)
    if case .waiting = arrival, hasParked { return }
    if hasParked { mismatch = "\(job) waits and was not told so" }
  }

  private mutating func drain(_ waiter: Waiter) {
    if case .waiting = state.drain(waiter) {
      _ = waiter.park(tag: Self.tagOfDrainer)
      drainer = waiter
    }
  }

  private mutating func leave(_ job: Int) {
    if let waiter = waiters[job], case .left(let effects) = state.leave(waiter, .cancelled) { carryOut(effects) }
  }

  private mutating func withdraw() {
    let withdrawal = state.withdrawAll()
    let places = withdrawal.rejected.map(\.place)
    if places != places.sorted() { mismatch = "withdrawn out of order" }
    carryOut(withdrawal.effects)
  }

  private mutating func begin() {
    guard let waiter = state.turn.waiter else { return }
    switch state.begin(waiter) {
    case .run: break
    case .gone: mismatch = "\(waiter.name!) has the turn, and was rejected before"
    case .waitAgain:
      _ = waiter.park(tag: Int(waiter.name!)!)
      carryOut(state.giveWay())
    case .revoked: finish(waiter.place)
    }
  }

  private mutating func finish(_ place: Place) {
    if endsShortly {
      let (hadWaiter, hadOthers, drains) = (state.turn.waiter != nil, !state.waiting.isEmpty, !state.drainers.isEmpty)
      switch state.finishShortly(place) {
      case .free:
        if hadWaiter || hadOthers || drains { mismatch = "a turn was ended that was to be handed on" }
        return
      case .handedOn(let ended, let next):
        if ended.place != place { mismatch = "another turn was ended" }
        if let next { resumed.append(next.tag) }
        return
      case .none:
        if hadWaiter ? hadOthers && !state.isPaused : !hadOthers && !drains { mismatch = "the short way was not taken" }
      }
    }
    carryOut(state.finish(place).effects)
  }

  private mutating func carryOut(_ effects: Effects) { resumed += effects.resumed.elements.map(\.tag) }
}

// MARK: - Comparing

extension LineRun {
  private mutating func compareJobs(after event: LineModel.Event) {
    guard mismatch == nil else { return }
    let holder = state.turn.name.map { Int($0)! }
    let waiting = state.waiting.elements.map { Int($0.name!)! }
    if holder != model.holder { mismatch = "after \(event) \(String(describing: holder)) holds the turn" }
    if waiting != model.waiting { mismatch = "after \(event) these wait: \(waiting)" }
    for (job, waiter) in waiters.enumerated() where !agrees(waiter?.state, model.fates[job]) {
      let standing = waiter.map { "\($0.state)" } ?? "running"
      mismatch = "after \(event) job \(job) is \(standing) and should be \(model.fates[job])"
    }
  }

  /// Each job that waited and does not wait any more goes on, once, and no other does.
  private mutating func compareResumed(after event: LineModel.Event, since before: LineModel) {
    guard mismatch == nil else { return }
    var expected = before.fates.indices.filter { before.fates[$0] == .waiting && model.fates[$0] != .waiting }
    if before.isDraining, !model.isDraining { expected.append(Self.tagOfDrainer) }
    if resumed.sorted() != expected { mismatch = "after \(event) \(resumed) go on, and not \(expected)" }
  }

  private func agrees(_ standing: Waiter.State?, _ fate: LineModel.Fate) -> Bool {
    switch (standing, fate) {
    case (.waiting, .waiting), (.granted, .granted), (.revoked, .revoked), (.rejected, .rejected): true
    case (.running, .running), (.running, .ended), (nil, .running), (nil, .ended): true
    default: false
    }
  }
}
