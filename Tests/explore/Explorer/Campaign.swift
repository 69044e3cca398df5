/// Explores one model with a number of schedules and says what it cost.
struct Campaign {
  let model: any Model.Type
  let strategy: Schedule.StrategyName?
  let schedules: Int
  let firstSeed: UInt64
  let runner: Runner
  /// How often an exhaustive schedule preempts, at most.
  let preemptions: Int

  private var done = 0
  private var steps = 0
  private var traces = Set<UInt64>()
  private var progress = Progress()
  /// How many tiny systems the exhaustive strategy has begun, and of how many it has run every schedule.
  private var systems = (begun: 0, inFull: 0)

  /// More distinct traces are not counted, to save memory.
  private static let mostTraces = 2_000_000
  /// One schedule of so many is run a second time, and must have the same trace.
  private static let repeatEvery = 64
  /// One schedule of so many of a mixed campaign is of the exhaustive strategy.
  private static let exhaustiveShare = 8
  /// So many schedules meet what a model is about.
  private static let meaningful = 2_000
  /// So many systems share what the exhaustive strategy has; one that is done sooner leaves its rest to more of them.
  private static let exhaustiveSystems = 20

  init(
    _ model: any Model.Type, strategy: Schedule.StrategyName?, schedules: Int, firstSeed: UInt64, runner: Runner,
    preemptions: Int = 1
  ) {
    self.preemptions = preemptions
    self.model = model
    self.strategy = strategy
    self.schedules = schedules
    self.firstSeed = firstSeed
    self.runner = runner
  }

  /// - Returns: The failure that ended it, if one did.
  mutating func run() -> Failure? {
    let start = ContinuousClock.now
    runner.world.forgetMet()
    switch strategy {
    case nil:
      if let failure = exhaust(schedules / Campaign.exhaustiveShare)
        ?? draw([.random, .pct1, .random, .pct2, .random, .pct3]) ?? missed()
      {
        return failure
      }
    case .exhaustive: if let failure = exhaust(schedules) { return failure }
    case .some(let strategy): if let failure = draw([strategy]) { return failure }
    }
    progress.clear()
    let distinct = "\(traces.count >= Campaign.mostTraces ? "> " : "")\(grouped(traces.count))"
    print(
      "\(padded(model.name, 18)) \(padded(grouped(done), -11)) schedules \(padded(distinct, -11)) distinct traces"
        + " \(padded(grouped(steps), -13)) steps \(padded(seconds(since: start), -8))")
    if systems.begun > 0 {
      print("  every schedule of \(grouped(systems.inFull)) of \(grouped(systems.begun)) tiny systems")
    }
    let met = model.mustMeet.map { "\($0): \(grouped(runner.world.met[$0] ?? 0))" }
    if !met.isEmpty { print("  met \(met.joined(separator: " · "))") }
    return nil
  }

  /// A campaign of some size that has not met what its model is about has shown nothing.
  private func missed() -> Failure? {
    let missing = model.mustMeet.filter { (runner.world.met[$0] ?? 0) == 0 }
    if missing.isEmpty || done < Campaign.meaningful { return nil }
    let broken = World.Broken(
      promise: "a campaign meets what it is about", detail: "never met: \(missing.joined(separator: ", "))")
    return failure(Schedule(model: model, strategy: .random, seed: firstSeed), broken)
  }

  /// Runs systems drawn from one seed after the other, with the strategies in turn.
  private mutating func draw(_ strategies: [Schedule.StrategyName]) -> Failure? {
    var seed = firstSeed
    while done < schedules {
      let strategy = strategies[Int(seed % UInt64(strategies.count))]
      let schedule = Schedule(model: model, strategy: strategy, seed: seed)
      if let failure = explore(schedule).failure { return failure }
      seed += 1
    }
    return nil
  }

  /// Runs every schedule of one tiny system after the other.
  private mutating func exhaust(_ count: Int) -> Failure? {
    var seed = firstSeed
    while done < count {
      let last = min(count, done + max(200, count / Campaign.exhaustiveSystems))
      var schedule = Schedule(model: model, strategy: .exhaustive, seed: seed, preemptions: preemptions)
      systems.begun += 1
      while done < last {
        let (failure, successor) = explore(schedule)
        if let failure { return failure }
        guard let successor else {
          systems.inFull += 1
          break
        }
        schedule.path = successor.path.map(\.choice)
      }
      seed += 1
    }
    return nil
  }

  private mutating func explore(_ schedule: Schedule) -> (failure: Failure?, successor: ExhaustiveStrategy?) {
    let outcome = runner.run(schedule)
    done += 1
    steps += outcome.steps
    if traces.count < Campaign.mostTraces { traces.insert(outcome.hash) }
    if let broken = outcome.broken { return (failure(schedule, broken), nil) }
    Crash.scheduleEnded()
    if done % Campaign.repeatEvery == 0, runner.run(schedule).hash != outcome.hash {
      let broken = World.Broken(promise: "the same seed gives the same trace", detail: "the second run is shown")
      return (failure(schedule, broken), nil)
    }
    if done % 4_096 == 0 { progress.show("\(model.name): \(grouped(done)) of \(grouped(schedules))") }
    return (nil, outcome.successor)
  }

  private func failure(_ schedule: Schedule, _ broken: World.Broken) -> Failure {
    progress.clear()
    return Failure(schedule: schedule, promise: broken.promise, detail: broken.detail, trace: runner.world.trace)
  }
}
