import CoalescingTasks

/// A `RenewingState` with the renewals and callers it has met, and what became of them.
///
/// Each value is the number of the renewal that has returned it.
struct RenewingRun: StateRun, ~Copyable {
  private final class Owner {}

  private let owner = Owner()
  private var state: RenewingState<Int>
  private var now = 0
  /// Each renewal; `nil` stands for a value from elsewhere.
  private var renewals: [Renewal<Int>?] = []
  private var waiters: [Waiter] = []
  /// What each caller was told when it came.
  private var arrivals: [RenewingModel.Fate] = []
  /// What each renewal was given when it began.
  private var previous: [Int: Int] = [:]
  private var withdrawn = 0

  init(_ settings: RenewingModel.Settings) {
    state = RenewingState(
      renewAhead: .seconds(RenewingModel.renewAhead), joinWindow: settings.joinWindow.map { .seconds($0) },
      pauseAfterFailure: settings.pauseAfterFailure.map { .seconds($0) })
  }

  mutating func apply(_ event: RenewingModel.Event) {
    switch event {
    case .ask: ask(rejected: nil)
    case .askInsteadOfTheNewest: ask(rejected: state.kept?.number)
    case .askInsteadOfAnOlder: ask(rejected: state.kept.map { $0.number - 1 })
    case .askWithoutWaiting: ask(rejected: nil, refusal: .cancelled)
    case .begin(let renewal):
      if case .run(let value) = state.begin(renewals[renewal]!) {
        previous[renewal] = value ?? RenewingModel.nothing
      }
    case .succeed(let renewal, let validity):
      _ = state.land(
        renewals[renewal]!, .success(Renewed(renewal, validFor: .seconds(validity))), now: .seconds(now))
    case .fail(let renewal):
      _ = state.land(renewals[renewal]!, .failure(BackendError(call: renewal)), now: .seconds(now))
    case .leave(let caller):
      guard case .waits(let renewal) = arrivals[caller] else { return }
      _ = state.leave(waiters[caller], renewals[renewal]!)
    case .clear: withdrawn += state.clear().withdrawn.count
    case .close: _ = state.close()
    case .replace:
      _ = state.replace(with: Renewed(renewals.count, validFor: .seconds(2)), now: .seconds(now))
      if !state.isClosed { renewals.append(nil) }
    case .step: now += 1
    case .setBack: now = 0
    }
  }

  /// A caller that finds its value fresh asks no further.
  private mutating func ask(rejected: UInt64?, refusal: JobRejection? = nil) {
    let waiter = Waiter()
    waiters.append(waiter)
    if rejected == nil, let value = state.fresh(at: .seconds(now)) { return arrivals.append(.served(value)) }
    var request = RenewalRequest(
      owner: ObjectIdentifier(owner), rejected: rejected, refusal: refusal, now: .seconds(now))
    var arrival = state.arrive(request, waiter)
    if case .asksForTheTime(let seen) = arrival {
      request.seen = seen
      arrival = state.arrive(request, waiter)
    }
    switch arrival {
    case .served(let value): arrivals.append(.served(value))
    case .renewsAhead(let value, let renewal):
      renewals.append(renewal)
      arrivals.append(.served(value))
    case .joined(let renewal, _): arrivals.append(.waits(number(renewal)))
    case .leads(let renewal):
      renewals.append(renewal)
      arrivals.append(.waits(renewals.count - 1))
    case .rejected: arrivals.append(.rejected)
    case .failed(let error): arrivals.append(.spared((error as? BackendError)?.call ?? -1))
    case .asksForTheTime: arrivals.append(.left)
    }
  }

  private func number(_ renewal: Renewal<Int>) -> Int { renewals.firstIndex { $0 === renewal } ?? -1 }
}

// MARK: - Against the model

extension RenewingRun {
  /// The first thing that differs.
  func mismatch(with model: RenewingModel) -> String? {
    if renewals.count != model.renewals.count { return "\(renewals.count) renewals and not \(model.renewals.count)" }
    for renewal in renewals.indices {
      if let mismatch = mismatch(renewal, model.renewals[renewal], model.callers(of: renewal)) {
        return "renewal \(renewal) \(mismatch)"
      }
    }
    for caller in waiters.indices {
      let fate = fate(of: caller)
      if fate != model.callers[caller] { return "caller \(caller): \(fate) and not \(model.callers[caller])" }
    }
    if withdrawn != model.callers.count(where: { $0 == .withdrawn }) {
      return "\(withdrawn) were reported as withdrawn"
    }
    if state.kept?.value != model.kept { return "keeps \(String(describing: state.kept?.value))" }
    let snapshot = state.snapshot(at: .seconds(now))
    let expected = RenewingSnapshot(
      waiting: model.renewals.indices.reduce(0) { $0 + model.callers(of: $1).count },
      running: model.renewals.count(where: \.isWanted),
      remaining: model.isClosed ? nil : model.newest?.remaining.map { .seconds($0) }, isClosed: model.isClosed)
    return snapshot == expected ? nil : "\(snapshot), and should be \(expected)"
  }

  private func mismatch(_ renewal: Int, _ model: RenewingModel.Renewal, _ expected: [Int]) -> String? {
    guard let real = renewals[renewal] else { return nil }
    if Int(real.number) != renewal + 1 { return "has the number \(real.number)" }
    if let given = previous[renewal], given != model.previous { return "was given \(given)" }
    let waiting = real.waiters.elements.map { waiter in waiters.firstIndex { $0 === waiter } ?? -1 }
    if waiting != expected { return "has the callers \(waiting) and not \(expected)" }
    let agrees =
      switch model.stage {
      case .mayBegin: real.phase == .boarding
      case .runs: real.phase == .flying && previous[renewal] != nil
      case .returned, .failed, .overtaken: real.phase == .landed
      case .cleared: real.phase == .abandoned || real.phase == .landed
      }
    return agrees ? nil : "is \(real.phase), and should be \(model.stage)"
  }

  private func fate(of caller: Int) -> RenewingModel.Fate {
    guard case .waits(let renewal) = arrivals[caller] else { return arrivals[caller] }
    return switch waiters[caller].state {
    case .granted:
      switch renewals[renewal]?.kept.answer {
      case .success(let value): .answered(value)
      case .failure: .failed(renewal)
      case nil: .left
      }
    case .rejected(.withdrawn): .withdrawn
    case .rejected: .left
    case .waiting, .running: .waits(renewal)
    }
  }
}
