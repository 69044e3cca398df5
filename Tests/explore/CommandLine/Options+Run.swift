extension Options {
  /// Does what was asked for.
  ///
  /// - Returns: The status of the process: 0 if every promise held.
  func run() -> Int32 {
    switch task {
    case .help: print(Options.help)
    case .list: for model in models { print("\(padded(model.name, 16)) \(model.about)") }
    case .explore: return explore()
    case .replay: return replay()
    case .selfCheck: return SelfCheck.run()
    case .oracle(let programs):
      var oracle = OrderOracle(Runner())
      return oracle.run(programs: programs, firstSeed: seed) ? 0 : 1
    case .orders:
      let report = OrderReport(runner: Runner())
      return report.run(chosen, schedules: schedules / chosen.count, firstSeed: seed) ? 0 : 1
    case .soak(let minutes):
      return Soak.run(
        minutes: minutes, seed: seed, only: chosen.count == models.count ? nil : chosen.map { $0.name })
    case .million: return Million(seed: seed).watched()
    case .millionKeys: return MillionKeys().watched()
    }
    return 0
  }

  private func explore() -> Int32 {
    let runner = Runner()
    Crash.watch(runner.world)
    let start = ContinuousClock.now
    for schedule in failedSchedules where chosen.contains(where: { $0 == schedule.model }) {
      let outcome = runner.run(schedule)
      if let broken = outcome.broken { return report(schedule, broken, runner) }
      Crash.scheduleEnded()
    }
    for (index, model) in chosen.enumerated() {
      let share = schedules / chosen.count + (index < schedules % chosen.count ? 1 : 0)
      if share == 0 { continue }
      var campaign = Campaign(
        model, strategy: strategy, schedules: share, firstSeed: seed, runner: runner, preemptions: preemptions)
      if let failure = campaign.run() {
        print(Smaller.failure(failure, runner))
        return 1
      }
    }
    print("\(grouped(schedules)) schedules in \(seconds(since: start)), no promise broken")
    return 0
  }

  private func replay() -> Int32 {
    let runner = Runner()
    Crash.watch(runner.world)
    let schedule = Schedule(
      model: chosen[0], strategy: strategy ?? .random, seed: seed, path: path, preemptions: preemptions,
      choices: choices, dropped: dropped)
    let outcome = runner.run(schedule)
    if let broken = outcome.broken {
      print(Failure(schedule: schedule, promise: broken.promise, detail: broken.detail, trace: runner.world.trace))
      return 1
    }
    print("\(runner.world.trace)\n\(outcome.steps) steps, no promise broken")
    return 0
  }

  private func report(_ schedule: Schedule, _ broken: World.Broken, _ runner: Runner) -> Int32 {
    let failure = Failure(
      schedule: schedule, promise: broken.promise, detail: broken.detail, trace: runner.world.trace)
    print(Smaller.failure(failure, runner))
    return 1
  }
}
