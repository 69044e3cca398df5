import SerialTasks
@_spi(Testing) import SerialTasksTesting

/// Compares what could have happened, as one lucky schedule of a program tells it, with what does happen in others.
struct OrderOracle {
  let runner: Runner
  /// How many schedules of a program are tried for a deadlock.
  private let few = 200
  /// How many are tried before a ring counts as one that this program alone does not close.
  private let many = 20_000
  /// How many are tried then with more callers.
  private let most = 1_000_000

  private var programs = 0
  /// Whether a ring was reported, and whether there is a real deadlock.
  private var both = 0
  private var neither = 0
  private var missed: [UInt64] = []
  private var missedDrains = 0
  /// How many rings close only among more callers, some of which leave while they wait in their turns.
  private var inACrowd = 0
  private var falseAlarms: [UInt64] = []
  private var unlucky = 0

  init(_ runner: Runner) { self.runner = runner }

  /// - Returns: Whether each ring was found, and no other, and every promise held.
  mutating func run(programs count: Int, firstSeed: UInt64) -> Bool {
    for seed in firstSeed..<firstSeed + UInt64(count) { ask(seed) }
    print("\(grouped(programs)) programs of which one lucky schedule was watched (\(grouped(unlucky)) more had none)")
    print("  real deadlocks: \(grouped(both + missed.count)), of which \(grouped(both)) were reported")
    print(
      "  not counted: \(grouped(missedDrains)) over a drain that found nothing to wait for, and so asked for nothing")
    print(
      "  rings reported: \(grouped(both + inACrowd + falseAlarms.count)), of which \(grouped(both)) are real, and "
        + "\(grouped(inACrowd)) more where other callers do the same, and some are cancelled")
    for seed in missed { print("  missed: seed \(seed)") }
    for seed in falseAlarms { print("  no schedule found: seed \(seed)") }
    return missed.isEmpty && falseAlarms.isEmpty && met("a broken promise") == 0
  }

  private mutating func ask(_ seed: UInt64) {
    let drainsBefore = met("a drain")
    guard let found = lucky(seed) else {
      unlucky += 1
      return
    }
    programs += 1
    let drains = met("a drain") > drainsBefore
    let isReal = (0..<UInt64(found.isEmpty ? few : many)).contains { hangs(seed, strategy(seed, $0)) }
    switch (found.isEmpty, isReal) {
    case (false, true): both += 1
    case (true, false): neither += 1
    case (true, true): if drains { missedDrains += 1 } else { missed.append(seed) }
    case (false, false): if hangsInACrowd(seed) { inACrowd += 1 } else { report(seed, found) }
    }
  }

  private mutating func report(_ seed: UInt64, _ found: [PotentialDeadlock]) {
    falseAlarms.append(seed)
    for deadlock in found { print("seed \(seed): \(deadlock)") }
  }

  /// Whether there is a deadlock if other callers do parts of the same, and some are cancelled: their turns end, and what they
  /// were waiting for goes on.
  private func hangsInACrowd(_ seed: UInt64) -> Bool {
    defer { OrdersModel.crowd = nil }
    return (0..<UInt64(most)).contains { attempt in
      OrdersModel.crowd = SplitMix(seed: SplitMix.mixed(seed &+ attempt))
      return hangs(seed, strategy(seed, attempt))
    }
  }

  /// What the first schedule reports in which nothing is rejected, and all closures are called: one that has joined another does
  /// not do what its own would.
  private func lucky(_ seed: UInt64) -> [PotentialDeadlock]? {
    for attempt in 0..<UInt64(100) {
      let recorder = OrderRecorder(limit: 10_000)
      let before = met("all has run")
      let hung = runner.watched(by: recorder) { hangs(seed, strategy(seed, attempt + 1_000_000)) }
      let found = recorder.finish()
      if !hung, met("all has run") > before { return found }
    }
    return nil
  }

  private func strategy(_ seed: UInt64, _ attempt: UInt64) -> any Strategy {
    let chance = SplitMix.mixed(seed &* 1_000_003 &+ attempt)
    return attempt % 2 == 0
      ? RandomStrategy(seed: chance) : PriorityStrategy(seed: chance, depth: Int(attempt / 2 % 3) + 1)
  }

  private func hangs(_ seed: UInt64, _ strategy: any Strategy) -> Bool {
    let before = met("a rejection")
    let outcome = runner.run(Schedule(model: OrdersModel.self, strategy: .random, seed: seed), strategy)
    if let broken = outcome.broken {
      print("seed \(seed): \(broken.promise): \(broken.detail)")
      runner.world.meet("a broken promise")
    }
    return met("a rejection") > before
  }

  private func met(_ sight: String) -> Int { runner.world.met[sight] ?? 0 }
}

/// Plays each model under a watch, says which deadlocks could happen in it, and checks its promises all the same.
struct OrderReport {
  let runner: Runner

  /// - Returns: Whether every promise held.
  func run(_ models: [any Model.Type], schedules: Int, firstSeed: UInt64) -> Bool {
    for model in models {
      var seen: [[String]: (count: Int, example: String)] = [:]
      for seed in firstSeed..<firstSeed + UInt64(schedules) {
        let recorder = OrderRecorder(limit: 10_000)
        let schedule = Schedule(model: model, strategy: .random, seed: seed)
        let broken = runner.watched(by: recorder) { runner.run(schedule).broken }
        if let broken {
          print("under a watch: \(schedule.command): \(broken.promise): \(broken.detail)")
          return false
        }
        for deadlock in recorder.finish() {
          seen[deadlock.path, default: (0, "\(deadlock) \(schedule.command)")].count += 1
        }
      }
      print("\(padded(model.name, 18)) \(grouped(schedules)) schedules, \(grouped(seen.count)) different rings")
      for (path, ring) in seen.sorted(by: { $0.value.count > $1.value.count }).prefix(3) {
        print("  \(grouped(ring.count)) times \(path.joined(separator: " → "))\n    \(ring.example)")
      }
    }
    return true
  }
}

extension Runner {
  /// Runs schedules whose tasks tell the recorder what they ask for.
  fileprivate func watched<Result>(by recorder: OrderRecorder, _ body: () -> Result) -> Result {
    world.around = { body in await recorder.watch { await body() } }
    defer { world.around = nil }
    return body()
  }
}
