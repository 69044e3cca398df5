import CoalescingTasks

/// Draws what tasks do with one executor: calls of all kinds, nested in each other, and everything that ends or holds them.
struct Program {
  /// What the executor understands, and how many may do what.
  struct Surface {
    /// Whether jobs name keys, and of those that do, how many name several.
    var hasKeys = true
    var hasSets = true
    var touchesAll = false
    /// Whether one key can be cleared and drained.
    var hasKeyLifecycle = true
    var hasReads = false
    var hasLatest = false
    /// Nothing but operations that callers share.
    var hasFlights = false
    var plan: Plan.Kind?
    var hasDetached = true
    var hasPause = true
    /// Whether slots and long turns can be set.
    var hasLimits = true
    var keys = ["x", "y", "z"]
    var focus = Focus.none
  }

  /// What a program is mostly about, of which programs about everything have too little.
  enum Focus {
    case none
    /// Writes that wait for newer ones, and what ends that.
    case drafts
    /// Jobs that run in the task of the job before.
    case detached
    /// Pauses, what they put back, and what goes on in them.
    case pauses
    /// Flights that follow and replace others.
    case policies
  }

  /// What the executor is made with.
  struct Options {
    var capacity: Int?
    var slots: Int?
    var areSlotsForReads = false
    var isCapacityPerKey = false
    var capacityOfAll: Int? { isCapacityPerKey ? nil : capacity }
    var capacityPerKey: Int? { isCapacityPerKey ? capacity : nil }
    var hasEngine = false
    /// Nothing is reported; and no job has a name, or each has one for reports and snapshots.
    var isSilent = false
    var areNamed = true
    var turnLimit: Int?
    /// Whether calls come from inside jobs.
    var isNested = false
    var hasFlights = false
    var joinWindow: Int?
    var runsToEnd = false
    /// Where it is known what must become of each call.
    var plan: Plan.Kind?
    /// Whether renewals follow and replace others.
    var hasPolicies = false
    /// Of a value: how long before its end it is renewed, and how long an error is kept.
    var renewAhead = 0
    var pauseAfterFailure: Int?
    /// Whether the clock leaps, and others may be faster than a caller that has just looked at it.
    var isLeaping = false
    var isHesitant = false
  }

  struct Player: Sendable {
    let name: String
    let priority: TaskPriority
    let acts: [Act]
    let isCancelled: Bool
  }

  private static let priorities: [TaskPriority] = [.background, .low, .medium, .high]
  private let world: World
  private let surface: Surface
  private(set) var options = Options()
  private(set) var players: [Player] = []
  private var drawn = 0
  /// Those that flights are asked for.
  private var keys: [String] = []
  /// Mostly calls, and nothing else.
  private var isCalm = false
  /// Many writes of few keys that replace each other; or of flights, prefetches that fail, and log-outs.
  private var isDrafting = false

  init(_ world: World, _ surface: Surface) {
    self.world = world
    self.surface = surface
    (isCalm, options.isNested, isDrafting) = (once(in: 2), once(in: 3), surface.hasLatest && once(in: 3))
    if surface.hasFlights {
      drawFlights()
    } else {
      drawOptions()
    }
    let names = ["a", "b", "c", "d", "e"].prefix(world.size(2...5, tiny: 2...3))
    players = names.map { name in
      let acts = (0..<world.size(1...4, tiny: 1...2)).compactMap { _ in act(inside: 0) }
      return Player(name: name, priority: priority(), acts: acts, isCancelled: once(in: 3))
    }
    if once(in: 3) {
      players.append(Player(name: "end", priority: priority(), acts: ending(), isCancelled: once(in: 6)))
    }
  }

  private mutating func drawOptions() {
    options.capacity = once(in: 5) ? world.random.within(1...3) : nil
    options.slots = surface.hasKeys && surface.hasLimits ? [nil, nil, 1, 2][world.random.below(4)] : nil
    options.areSlotsForReads = surface.hasReads
    options.hasEngine = !surface.hasLimits
    // One job of each key, or more of all keys.
    options.isCapacityPerKey = surface.hasKeyLifecycle && options.capacity == 1
    options.isSilent = surface.hasLimits && once(in: 4)
    options.areNamed = !options.isSilent || isCalm
    options.turnLimit = surface.hasLimits && !options.isSilent && once(in: 4) ? world.random.within(2...6) : nil
    if surface.focus == .none { return }
    (options.capacity, options.turnLimit) = (nil, nil)
    options.isSilent = surface.focus == .detached && once(in: 2)
    if surface.focus != .pauses { (options.slots, options.isNested) = (nil, false) }
    options.areNamed = !options.isSilent
  }

  private mutating func drawFlights() {
    options.hasFlights = true
    keys = world.isTiny || once(in: 2) ? ["x"] : surface.keys
    isDrafting = once(in: 3)
    options.joinWindow = once(in: 3) ? world.random.within(1...6) : nil
    options.runsToEnd = once(in: 6)
    options.isLeaping = !options.isNested && once(in: 4) && !world.isReal
    options.isHesitant = options.isLeaping && once(in: 2)
    // What succeeds beside an operation that is too old cancels it, which may wait inside the library: not in one step here.
    if options.isNested { options.joinWindow = nil }
    options.plan = surface.focus == .policies ? .flights : surface.plan
    guard let plan = options.plan else { return }
    options.isNested = false
    if plan != .renewals { (options.joinWindow, options.isHesitant) = (nil, false) }
    if plan != .flights { options.runsToEnd = false }
    options.renewAhead = once(in: 2) ? world.random.within(1...6) : 0
    options.pauseAfterFailure = once(in: 3) ? world.random.within(0...6) : nil
    options.hasPolicies = plan == .renewals && once(in: 2)
  }

  private func once(in times: Int) -> Bool { world.random.once(in: times) }

  private func priority() -> TaskPriority { pick(Program.priorities) }

  private func pick<Element>(_ elements: [Element]) -> Element { elements[world.random.below(elements.count)] }

  /// A log-out, or a shutdown.
  private func ending() -> [Act] {
    let wait = Act.steps(world.random.below(5))
    if once(in: 3) { return [wait, .shutDown(limit: world.random.below(4))] }
    return [wait, once(in: 3) ? .steps(1) : .close, .clear(key: nil), .drain(key: nil)]
  }

  /// Drops what the schedule leaves out; it is drawn all the same, so that the rest stays what it is.
  private mutating func act(inside depth: Int) -> Act? {
    let act =
      switch surface.focus {
      case .none, .detached, .policies:
        options.plan != nil
          ? drawPlannedAct() : surface.hasFlights ? drawFlightAct(inside: depth) : drawAct(inside: depth)
      case .drafts: drawDraftAct()
      case .pauses: drawPauseAct(inside: depth)
      }
    return world.keeps() ? act : nil
  }

  private mutating func drawAct(inside depth: Int) -> Act {
    let choice = world.random.below(isCalm ? 16 : 24)
    switch choice {
    case 0...12: return .call(call(inside: depth))
    case 13: return .await
    case 14: return .steps(1 + world.random.below(2))
    case 15: return .sleep(1 + world.random.below(3))
    case 16, 17: return surface.hasPause ? .pause(steps: world.random.below(4), sleeps: once(in: 2)) : .steps(1)
    case 18: return .clear(key: nil)
    case 19: return .clear(key: surface.hasKeyLifecycle ? pick(surface.keys) : nil)
    case 20: return .drain(key: nil)
    case 21: return .drain(key: surface.hasKeyLifecycle ? pick(surface.keys) : nil)
    case 22: return once(in: 4) ? .close : .await
    default: return .sleep(1)
    }
  }

  private mutating func drawPauseAct(inside depth: Int) -> Act {
    switch world.random.below(12) {
    case 0...6: return .call(call(inside: depth))
    case 7, 8: return .pause(steps: world.random.below(4), sleeps: once(in: 2))
    case 9: return .resume
    case 10: return .sleep(1 + world.random.below(2))
    default:
      if once(in: 2) { return .drain(key: nil) }
      return once(in: 2) ? .awaitTwice(steps: 1 + world.random.below(3)) : .await
    }
  }

  private mutating func drawDraftAct() -> Act {
    switch world.random.below(12) {
    case 0...4: return .call(draft(waits: true))
    case 5: return .call(draft(waits: false))
    case 6: return .call(call(inside: 0))
    case 7:
      var call = call(inside: 0)
      call.work.inside = once(in: 2) ? [.pause(steps: 1, sleeps: true)] : []
      return .call(call)
    case 8, 9: return .sleep(1 + world.random.below(3))
    case 10: return once(in: 3) ? .pause(steps: 1, sleeps: once(in: 2)) : .drain(key: nil)
    default: return once(in: 3) ? .clear(key: nil) : .sleep(1)
    }
  }

  /// A write that newer ones replace.
  private mutating func draft(waits: Bool) -> Call {
    drawn += 1
    let name = "j\(drawn)"
    var call = Call(
      name: name, label: name, way: .submitted, touch: Touch(pick([["x"], ["x"], ["x"], ["x", "y"]])), isTyped: false,
      work: Work(steps: world.random.below(3), sleeps: once(in: 3) ? 1 : 0))
    call.latest = world.isReal ? nil : pick(["s", "s", "s", "t"])
    call.awaited = once(in: 4) ? [priority()] : []
    call.cancelledAfter = once(in: 6) ? world.random.below(4) : nil
    if waits { call.draft = (world.random.below(6), once(in: 2) ? 1 + world.random.below(6) : nil) }
    return call
  }

  private mutating func drawFlightAct(inside depth: Int) -> Act {
    // Of prefetches that fail, and of what is forgotten meanwhile, there are too few otherwise.
    switch isDrafting ? [0, 0, 0, 9, 9, 13, 16, 18][world.random.below(8)] : world.random.below(isCalm ? 16 : 24) {
    case 0...8: return .call(flight(.awaited, inside: depth))
    case 9...11: return .call(flight(.ahead, inside: depth))
    case 12: return .call(flight(.submitted, inside: depth))
    case 13: return .steps(1 + world.random.below(2))
    case 14, 15: return .sleep(1 + world.random.below(5))
    case 16, 17: return .invalidate(key: once(in: 3) ? nil : pick(keys))
    case 18, 19, 20: return .clear(key: once(in: 3) ? nil : pick(keys))
    case 21: return .drain(key: nil)
    case 22: return once(in: 4) ? .close : .steps(1)
    default: return options.isLeaping ? .leap(world.random.within(1...6)) : .sleep(1)
    }
  }

  private mutating func drawPlannedAct() -> Act {
    switch world.random.below(isCalm ? 14 : 20) {
    case 0...6: return .call(planned(.awaited))
    case 7...10: return .call(planned(options.plan == .loads ? .ahead : once(in: 2) ? .submitted : .awaited))
    case 11: return .steps(1 + world.random.below(2))
    case 12, 13: return .sleep(1 + world.random.below(5))
    case 14, 15: return .clear(key: options.plan != .flights || once(in: 3) ? nil : pick(keys))
    case 16: return .drain(key: nil)
    case 17: return once(in: 3) ? .close : .steps(1)
    case 18: return options.isLeaping ? .leap(world.random.within(1...6)) : .sleep(1)
    default:
      if options.plan == .flights { return .invalidate(key: once(in: 3) ? nil : pick(keys)) }
      return options.plan == .loads ? .clear(key: nil) : .replace(validity: world.random.within(0...8))
    }
  }

  private mutating func planned(_ way: Call.Way) -> Call {
    drawn += 1
    var call = Call(
      name: "j\(drawn)", label: "j\(drawn)", way: way,
      touch: Touch(options.plan == .flights ? [pick(keys)] : [], isShared: true), isTyped: false,
      work: work(inside: 0), isFlight: true)
    if options.plan != .renewals {
      call.policy = pick(SharingPolicy.allCases)
    } else {
      // It cannot be known when one that waits begins because another is too old.
      let policies: [SharingPolicy] =
        options.joinWindow == nil ? [.join, .rerun, .rerun, .supersede] : [.join, .supersede]
      call.policy = options.hasPolicies ? pick(policies) : .join
      (call.expiresAfter, call.rejects) = (world.random.within(0...12), pick([nil, nil, nil, 0, 0, 1]))
      if call.policy != .join { call.rejects = nil }
    }
    return call
  }

  private mutating func flight(_ way: Call.Way, inside depth: Int) -> Call {
    drawn += 1
    let name = "j\(drawn)"
    var call = Call(
      name: name, label: name, way: way, touch: Touch([pick(keys)], isShared: true), isTyped: false,
      work: work(inside: depth), isFlight: true)
    if isDrafting, way == .ahead, once(in: 2) { call.work.error = JobError() }
    call.priority = way != .awaited && once(in: 3) ? priority() : nil
    call.expiresAfter = way == .ahead ? (once(in: 2) && !world.isReal ? 1_000 : world.random.within(1...6)) : nil
    return call
  }

  private mutating func call(inside depth: Int) -> Call {
    drawn += 1
    let name = "j\(drawn)"
    let touch = touch()
    var ways: [Call.Way] = isDrafting ? [.submitted, .submitted, .awaited] : [.awaited, .awaited, .submitted]
    if surface.hasDetached, touch.keys?.count ?? 1 == 1 {
      ways = surface.focus == .detached ? [.detached, .detached, .detached, .submitted] : ways + [.detached]
    }
    let way = pick(ways)
    var call = Call(
      name: name, label: options.areNamed ? name : nil, way: way, touch: touch,
      isTyped: once(in: 4) && way == .awaited, work: work(inside: depth))
    if way == .awaited {
      call.limit = once(in: surface.focus == .pauses ? 2 : 5) ? world.random.below(5) : nil
    } else {
      call.priority = once(in: 3) ? priority() : nil
      call.awaited = (0..<[0, 0, 1, 1, 2][world.random.below(5)]).map { _ in priority() }
      call.cancelledAfter = once(in: 4) ? world.random.below(4) : nil
      call.work.cancelsItself = surface.focus == .detached && way == .detached && once(in: 4)
      if surface.hasLatest, !options.isSilent, !touch.isShared, touch.keys != nil, way == .submitted,
        isDrafting || once(in: 2)
      {
        // On real threads it cannot be known which of them a newer one replaces.
        let latest = pick(["s", "t"])
        call.latest = world.isReal ? nil : latest
        if once(in: 3) { call.draft = (1 + world.random.below(4), once(in: 2) ? 1 + world.random.below(6) : nil) }
      }
    }
    return call
  }

  private mutating func work(inside depth: Int) -> Work {
    let (steps, sleeps) = (world.random.below(3), [0, 0, 0, 1, 1, 3][world.random.below(6)])
    var work = Work(steps: steps, sleeps: sleeps, error: once(in: 4) ? JobError() : nil)
    if options.isNested, depth < 2, once(in: 2) {
      work.inside = (0..<1 + world.random.below(2)).compactMap { _ in act(inside: depth + 1) }
    }
    return work
  }

  /// One key or two, more rarely three, or none, in any order, and now and then one of them twice.
  private func touch() -> Touch {
    guard surface.hasKeys else { return Touch(nil) }
    if surface.focus == .detached { return Touch([["x"], ["x"], ["y"], ["x", "y"]][world.random.below(4)]) }
    if isDrafting, !once(in: 4) { return Touch([["x"], ["x"], ["y", "x"], ["x", "y"]][world.random.below(4)]) }
    if surface.hasReads, !options.isSilent, once(in: 2) { return Touch([pick(surface.keys)], isShared: true) }
    if surface.touchesAll, once(in: 5) { return Touch(nil) }
    guard surface.hasSets else { return Touch([pick(surface.keys)]) }
    let count = options.slots != nil && !once(in: 4) ? 1 : [1, 1, 1, 2, 2, 2, 2, 3, 3, 0][world.random.below(10)]
    var left = surface.keys
    var keys = (0..<count).map { _ in left.remove(at: world.random.below(left.count)) }
    if let first = keys.first, once(in: 8) { keys.append(first) }
    return Touch(keys)
  }
}
