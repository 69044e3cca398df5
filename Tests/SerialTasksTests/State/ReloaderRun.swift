import CoalescingTasks

/// A `ReloaderState` with the loads and callers it has met, and what became of them.
struct ReloaderRun: StateRun, ~Copyable {
  struct Number: ReloadReason {
    let request: Int
    let policy: ReloadPolicy
  }

  typealias Load = ReloadFlight<Number, Int>
  typealias Caller = ReloadCaller<Number, Int>

  private final class Owner {}

  private let owner = Owner()
  private var state = ReloaderState<Number, Int>()
  private var loads: [Load] = []
  private var callers: [Caller] = []
  /// By number, those that came too late.
  private var rejected: Set<Int> = []
  private var requests = 0
  /// Loads by number in the order in which they were applied.
  private var applied: [Int] = []
  /// The reason with which each load began.
  private var began: [Int: Int] = [:]
  /// What each load was last told.
  private var told: [Int: ReloaderModel.Stage] = [:]
  private var withdrawn = 0

  mutating func apply(_ event: ReloaderModel.Event) {
    switch event {
    case .ask(let policy, let waits): ask(policy, waits)
    case .begin(let load): begin(load)
    case .land(let load): land(load)
    case .fail(let load): _ = state.fail(loads[load])
    case .landed(let load): _ = state.landed(loads[load])
    case .leave(let caller): _ = state.leave(callers[caller])
    case .close: state.close()
    case .cancel: withdrawn += state.cancel().withdrawn.count
    }
  }

  private mutating func ask(_ policy: ReloadPolicy, _ waits: Bool) {
    requests += 1
    let request = ReloadRequest(
      owner: ObjectIdentifier(owner), reloader: "screen", reason: Number(request: requests, policy: policy),
      policy: policy)
    let caller = waits ? Caller() : nil
    if let caller { callers.append(caller) }
    switch state.ask(request, caller) {
    case .joins, .merges: break
    case .follows(let load, _), .begins(let load, _): loads.append(load)
    case .rejected(let why): if waits, why == .closed { rejected.insert(callers.count - 1) }
    }
  }

  private mutating func begin(_ load: Int) {
    switch state.begin(loads[load]) {
    case .run(let reason):
      told[load] = .runs
      began[load] = reason.request
    case .wait: told[load] = .waits
    case .gone: told[load] = .gone
    }
  }

  private mutating func land(_ load: Int) {
    switch state.land(loads[load]) {
    case .now:
      applied.append(load)
      told[load] = .lands
    case .wait: told[load] = .isLoaded
    case .gone: told[load] = .gone
    }
  }
}

// MARK: - Against the model

extension ReloaderRun {
  /// The first thing that differs.
  func mismatch(with model: ReloaderModel) -> String? {
    if loads.count != model.loads.count { return "\(loads.count) loads and not \(model.loads.count)" }
    for load in loads.indices {
      if let mismatch = mismatch(load, model.loads[load], model.callers(of: load)) { return "load \(load) \(mismatch)" }
    }
    for caller in callers.indices {
      let fate = rejected.contains(caller) ? .rejected : fate(callers[caller])
      if fate != model.callers[caller] { return "caller \(caller): \(fate) and not \(model.callers[caller])" }
    }
    if withdrawn != model.callers.count(where: { $0 == .withdrawn }) { return "\(withdrawn) were told of a withdrawal" }
    if applied != applied.sorted() || Set(applied).count != applied.count { return "applied \(applied)" }
    let snapshot = state.snapshot()
    let waiting = model.callers.count { if case .waits = $0 { true } else { false } }
    let reasons = (snapshot.reason?.request, snapshot.next?.request)
    let expected = (
      model.running.map { model.loads[$0].request }, model.trailing.map { model.loads[$0].request }
    )
    let counts = (snapshot.running > 0) == (model.running != nil) && snapshot.waiting == waiting
    let agrees = counts && reasons == expected && snapshot.isClosed == model.isClosed
    return agrees ? nil : "\(snapshot), and should be \(waiting), \(expected)"
  }

  private func mismatch(_ load: Int, _ model: ReloaderModel.Load, _ expected: [Int]) -> String? {
    let real = loads[load]
    if let reason = began[load], reason != model.request { return "began with reason \(reason)" }
    let waiting = real.waiters.elements.map { waiter in callers.firstIndex { $0 === waiter } ?? -1 }
    if waiting != expected { return "has the callers \(waiting) and not \(expected)" }
    let agrees =
      switch model.stage {
      case .waits: state.trailing === real && real.parking!.isWaiting && real.phase == .boarding
      case .mayBegin: state.loading === real && real.phase == .boarding && (told[load] != .waits || isLetGo(real))
      case .runs: state.loading === real && real.phase == .flying && told[load] == .runs
      case .isLoaded:
        state.loading === real && told[load] == .isLoaded && (real.parking!.isWaiting || state.landing == nil)
      case .lands: state.landing === real && told[load] == .lands
      case .over: real.phase == .landed && isNowhere(real)
      case .ended: real.phase == .abandoned && isNowhere(real) && !real.parking!.isWaiting
      case .gone: real.phase == .abandoned && isNowhere(real) && told[load] == .gone
      }
    return agrees ? nil : "is \(real.phase), was told \(String(describing: told[load])), and should be \(model.stage)"
  }

  private func isLetGo(_ load: Load) -> Bool { load.parking!.state == .granted }

  private func isNowhere(_ load: Load) -> Bool {
    state.landing !== load && state.loading !== load && state.trailing !== load
  }

  private func fate(_ caller: Caller) -> ReloaderModel.Fate {
    let load = loads.firstIndex { $0 === caller.carrier } ?? -1
    return switch caller.state {
    case .granted: .answered(load)
    case .rejected(.withdrawn): .withdrawn
    case .rejected: .left
    case .waiting, .running: .waits(load)
    }
  }
}
