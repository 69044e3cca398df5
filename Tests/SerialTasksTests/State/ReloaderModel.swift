import CoalescingTasks

/// A reloader as two arrays, the loads and the callers: the model that `ReloaderState` is held against.
///
/// Nothing is moved from place to place here: what a load is doing is its stage, and a caller that waits knows its load by number.
struct ReloaderModel: StateModel {
  /// What can happen; callers and loads are numbered in the order in which they come.
  enum Event: Hashable {
    /// By a caller that waits, or by the screen.
    case ask(ReloadPolicy, waits: Bool)
    /// The task of a load comes to run.
    case begin(Int)
    /// Its operation has returned or thrown; or it asks again, having waited to land.
    case land(Int), fail(Int)
    /// Its result was applied.
    case landed(Int)
    case leave(Int)
    case cancel, close
  }

  enum Stage: Hashable {
    case waits, mayBegin, runs
    /// Its result waits for an older one's.
    case isLoaded
    case lands
    /// The result is with its callers; `applied` if it is on the screen.
    case over(applied: Bool)
    /// It was ended, and its task has not found that out.
    case ended
    case gone
  }

  enum Fate: Hashable {
    case waits(Int)
    case answered(Int)
    case left, withdrawn, rejected
  }

  struct Load {
    var stage: Stage
    var isForScreen: Bool
    /// The number of the request for which it runs.
    var request: Int
  }

  var loads: [Load] = []
  var callers: [Fate] = []
  var requests = 0
  var isClosed = false
}

// MARK: - What is so

extension ReloaderModel {
  /// What runs: the newest that does.
  var running: Int? { last([.mayBegin, .runs, .isLoaded]) ?? landing }
  var landing: Int? { last([.lands]) }
  var trailing: Int? { last([.waits]) }

  private func last(_ stages: Set<Stage>) -> Int? { loads.indices.last { stages.contains(loads[$0].stage) } }

  func callers(of load: Int) -> [Int] { callers.indices.filter { callers[$0] == .waits(load) } }

  var possibleEvents: [Event] {
    var events: [Event] = []
    for policy in ReloadPolicy.allCases {
      if callers.count < 3 { events.append(.ask(policy, waits: true)) }
      if requests < 4 { events.append(.ask(policy, waits: false)) }
    }
    for load in loads.indices {
      switch loads[load].stage {
      case .mayBegin: events.append(.begin(load))
      case .waits: if loads[load].request % 2 == 0 { events.append(.begin(load)) }
      case .runs: events += [.land(load), .fail(load)]
      case .isLoaded: events.append(.land(load))
      case .lands: events.append(.landed(load))
      case .ended: events += [.begin(load), .land(load)]
      case .over, .gone: break
      }
    }
    for caller in callers.indices { if case .waits = callers[caller] { events.append(.leave(caller)) } }
    if !loads.isEmpty { events.append(.cancel) }
    if !isClosed { events.append(.close) }
    return events
  }
}

// MARK: - What happens

extension ReloaderModel {
  mutating func apply(_ event: Event) {
    switch event {
    case .ask(let policy, let waits): ask(policy, waits)
    case .begin(let load): if loads[load].stage == .mayBegin { loads[load].stage = .runs } else { find(load) }
    case .land(let load): land(load)
    case .fail(let load): end(load, applied: false)
    case .landed(let load): end(load, applied: true)
    case .leave(let caller): leave(caller)
    case .close: isClosed = true
    case .cancel:
      for load in loads.indices where isEndable(load) {
        for caller in callers(of: load) { callers[caller] = .withdrawn }
        loads[load].stage = .ended
      }
    }
  }

  private mutating func find(_ load: Int) { if loads[load].stage == .ended { loads[load].stage = .gone } }

  private func isEndable(_ load: Int) -> Bool {
    [.waits, .mayBegin, .runs, .isLoaded].contains(loads[load].stage)
  }

  private mutating func ask(_ policy: ReloadPolicy, _ waits: Bool) {
    requests += 1
    if isClosed {
      if waits { callers.append(.rejected) }
      return
    }
    let load: Int
    switch (running, policy) {
    case (let running?, .join): load = running
    case (.some, .rerun):
      load = trailing ?? make(.waits)
      loads[load].request = requests
    case (nil, _), (_, .supersede):
      let old = loads.indices.filter(isEndable)
      load = make(.mayBegin)
      for old in old {
        for caller in callers(of: old) { callers[caller] = .waits(load) }
        loads[load].isForScreen = loads[load].isForScreen || loads[old].isForScreen
        loads[old].stage = .ended
      }
    }
    if waits { callers.append(.waits(load)) } else { loads[load].isForScreen = true }
  }

  private mutating func make(_ stage: Stage) -> Int {
    loads.append(Load(stage: stage, isForScreen: false, request: requests))
    return loads.count - 1
  }

  private mutating func land(_ load: Int) {
    guard loads[load].stage != .ended else { return find(load) }
    loads[load].stage = landing == nil ? .lands : .isLoaded
  }

  private mutating func end(_ load: Int, applied: Bool) {
    loads[load].stage = .over(applied: applied)
    for caller in callers(of: load) { callers[caller] = .answered(load) }
    goOn()
  }

  private mutating func goOn() { if running == nil, let trailing { loads[trailing].stage = .mayBegin } }

  private mutating func leave(_ caller: Int) {
    guard case .waits(let load) = callers[caller] else { return }
    callers[caller] = .left
    guard callers(of: load).isEmpty, !loads[load].isForScreen, isEndable(load) else { return }
    loads[load].stage = .ended
    goOn()
  }
}
