import SerialTasks

/// Drives the state and the model with the same events, and says where they first disagree.
struct LineRun: ~Copyable {
  var model: LineModel
  private var state: LineState
  /// The waiter of each job; a caller that found the line free has none.
  private var waiters: [Waiter?] = []
  /// How often the state told its shell to wake each waiter: once and no more.
  private var wakes: [Int] = []
  private var drainer: Waiter?
  private var drainerWakes = 0
  private(set) var mismatch: String?

  init(capacity: Int?) {
    model = LineModel(capacity: capacity)
    state = LineState(capacity: capacity)
  }

  mutating func apply(_ event: LineModel.Event) {
    switch event {
    case .join: join(isSubmitted: true)
    case .enter: enter()
    case .begin: begin()
    case .finish: finish(state.turn.place)
    case .leave(let job): leave(job)
    case .withdraw: _ = state.withdrawAll()
    case .tell: wake(state.told(state.untold))
    case .pause: state.pause()
    case .resume: wake(state.resume())
    case .close: state.close()
    case .drain:
      let waiter = Waiter()
      drainer = state.awaitIdle(waiter) ? waiter : nil
    case .leaveDrain: if let drainer { _ = state.leaveDrain(drainer) }
    }
    state.checkInvariants()
    model.apply(event)
    compare(after: event)
  }

  private mutating func enter() {
    guard case .granted = state.enter(name: "\(waiters.count)", task: nil) else { return join(isSubmitted: false) }
    waiters.append(nil)
    wakes.append(0)
  }

  private mutating func join(isSubmitted: Bool) {
    let waiter = Waiter(name: "\(waiters.count)", isSubmitted: isSubmitted)
    waiters.append(waiter)
    wakes.append(0)
    _ = state.join(waiter)
  }

  private mutating func leave(_ job: Int) {
    if let waiter = waiters[job], case .left(let handover) = state.leave(waiter) { wake(handover) }
  }

  private mutating func begin() {
    guard let waiter = state.turn.waiter else { return }
    if state.beginAtOnce(waiter) { return }
    switch state.begin(waiter) {
    case .run, .gone: mismatch = "\(waiter.name!) has not the turn, or might have begun at once"
    case .putBack: wakes[Int(waiter.name!)!] = 0
    case .turnedAway: wake(state.finish(waiter.place).handover)
    }
  }

  /// The ways in which a line tries it.
  private mutating func finish(_ place: Place) {
    if state.finishAlone(place) { return }
    if let (_, next) = state.finishForNext(place) { return wake(.granted(next, nil)) }
    wake(state.finish(place).handover)
  }

  private mutating func wake(_ handover: LineState.Handover) {
    switch handover {
    case .nobody: break
    case .granted(let waiter, _): wakes[Int(waiter.name!)!] += 1
    case .idle(let drainers): drainerWakes += drainers.filter { $0 === drainer }.count
    }
  }

  private mutating func compare(after event: LineModel.Event) {
    guard mismatch == nil else { return }
    let holder = state.turn.name.map { Int($0)! }
    let waiting = state.waiting.elements.map { Int($0.name!)! }
    if holder != model.holder { mismatch = "after \(event) \(String(describing: holder)) holds the turn" }
    if waiting != model.waiting { mismatch = "after \(event) these wait: \(waiting)" }
    for (job, waiter) in waiters.enumerated() where !agrees(waiter?.state, model.fates[job]) {
      let standing = waiter.map { "\($0.state)" } ?? "running"
      mismatch = "after \(event) job \(job) is \(standing) and should be \(model.fates[job])"
    }
    if wakes.contains(where: { $0 > 1 }) { mismatch = "after \(event) a waiter was woken twice" }
    if drainerWakes != (model.hasDrained && drainer != nil ? 1 : 0) { mismatch = "after \(event) the drain is wrong" }
  }

  private func agrees(_ standing: Waiter.State?, _ fate: LineModel.Fate) -> Bool {
    switch (standing, fate) {
    case (.waiting, .waiting), (.granted, .granted), (.revoked, .revoked), (.rejected, .rejected): true
    case (.running, .running), (.running, .ended), (nil, .running), (nil, .ended): true
    default: false
    }
  }
}
