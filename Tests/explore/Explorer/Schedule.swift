/// One schedule of one model, as it can be asked for again.
struct Schedule {
  enum StrategyName: String, CaseIterable {
    case random, pct1, pct2, pct3, exhaustive
  }

  let model: any Model.Type
  let strategy: StrategyName
  let seed: UInt64
  /// The choices of an exhaustive schedule; empty for others.
  var path: [Int] = []

  /// Run from the root of the package, it replays exactly this schedule.
  var command: String {
    let path = path.isEmpty ? "" : " --path \(path.map(String.init).joined(separator: "."))"
    return "swift run -c release explore --model \(model.name) --strategy \(strategy.rawValue) --seed \(seed)\(path)"
  }

  /// Equal seeds mean another system and other choices in each model.
  func makeStrategy() -> any Strategy {
    let seed = SplitMix.mixed(seed ^ 0x5ca1_ab1e)
    return switch strategy {
    case .random: RandomStrategy(seed: seed)
    case .pct1: PriorityStrategy(seed: seed, depth: 1)
    case .pct2: PriorityStrategy(seed: seed, depth: 2)
    case .pct3: PriorityStrategy(seed: seed, depth: 3)
    case .exhaustive: ExhaustiveStrategy(path: path)
    }
  }
}

/// Runs schedules, one at a time.
struct Runner {
  let world: World
  private let scheduler: Scheduler

  init() {
    scheduler = Scheduler()
    world = World(scheduler)
    Runtime.takeOver(scheduler)
  }

  struct Outcome {
    let hash: UInt64
    let steps: Int
    let broken: World.Broken?
    /// What an exhaustive strategy tries next.
    let successor: ExhaustiveStrategy?
  }

  func run(_ schedule: Schedule) -> Outcome {
    world.reset(schedule, strategy: schedule.makeStrategy())
    Crash.schedule = schedule
    play(schedule.model)
    world.forgetProbes()
    world.checkNothingLeft()
    return Outcome(
      hash: world.trace.hash, steps: scheduler.steps, broken: world.broken,
      successor: (scheduler.strategy as? ExhaustiveStrategy)?.successor())
  }

  private func play(_ type: any Model.Type) {
    let model = type.init(world)
    model.start()
    let ending = scheduler.runAll()
    world.expect(
      ending == .done, "a system comes to its end", "it was still running after \(Scheduler.mostSteps) steps")
    world.checkEveryoneEnded()
    if world.broken == nil { model.check() }
  }
}
