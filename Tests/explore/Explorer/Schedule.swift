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
  /// How often an exhaustive schedule preempts, at most.
  var preemptions = 1
  /// The choices of any schedule, by position, where they are not what comes by itself.
  var choices: [Int: Int]?
  /// The parts of the system that are left out.
  var dropped: Set<Int> = []

  /// Run from the root of the repository, it replays exactly this schedule.
  var command: String {
    var command = "swift run --package-path Tests/explore -c release explore --model \(model.name)"
    command += " --strategy \(strategy.rawValue) --seed \(seed)"
    if preemptions != 1 { command += " --preemptions \(preemptions)" }
    if !path.isEmpty { command += " --path \(path.map(String.init).joined(separator: "."))" }
    if let choices {
      let made = choices.sorted { $0.key < $1.key }.map { "\($0.key).\($0.value)" }
      command += " --choices \(made.isEmpty ? "none" : made.joined(separator: ","))"
    }
    if !dropped.isEmpty { command += " --without \(dropped.sorted().map(String.init).joined(separator: "."))" }
    return command
  }

  /// Equal seeds mean another system and other choices in each model.
  func makeStrategy() -> any Strategy {
    if let choices { return Replay(choices) }
    let seed = SplitMix.mixed(seed ^ 0x5ca1_ab1e)
    return switch strategy {
    case .random: RandomStrategy(seed: seed)
    case .pct1: PriorityStrategy(seed: seed, depth: 1)
    case .pct2: PriorityStrategy(seed: seed, depth: 2)
    case .pct3: PriorityStrategy(seed: seed, depth: 3)
    case .exhaustive: ExhaustiveStrategy(path: path, mostPreemptions: preemptions)
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

  /// What was chosen in the last schedule, if that was written down.
  var recording: Recording? { scheduler.strategy as? Recording }

  func run(_ schedule: Schedule, _ strategy: (any Strategy)? = nil) -> Outcome {
    world.reset(schedule, strategy: strategy ?? schedule.makeStrategy())
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
