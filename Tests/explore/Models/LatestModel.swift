import SerialTasks

/// Writes of which only the newest is to run, beside others of the same keys.
struct LatestModel: Model {
  static let name = "latest-writes"
  static let about = "writes that replace those that have not begun, cancelled, cleared, paused and closed anywhere"
  static let mustMeet = [
    "a write is replaced", "a replacement is replaced", "a newer write beside one that runs",
    "a newer write of other keys",
    "a replacement is cancelled",
  ]

  enum Act: CaseIterable {
    case latest, latestAgain, latestOfMany, submit, write, writeAll, step, rest, pause, clear, drain, close
  }

  let world: World
  let ledger: LatestLedger
  /// Mostly writes and nothing else.
  private let isCalm: Bool

  init(_ world: World) {
    self.world = world
    isCalm = world.random.once(in: 2)
    ledger = LatestLedger(world)
  }

  private struct Step: Sendable {
    let act: Act
    let job: String
    let keys: [String]
    let latest: LatestLedger.Latest
    let work: LatestLedger.Work
    let steps: Int
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 1...2)) {
      let steps = (0..<world.size(1...4, tiny: 1...2)).map { step("\(name)\($0 + 1)") }
      let task = world.spawn(name) { for step in steps { await play(step) } }
      if world.random.once(in: 3) {
        world.cancelAnywhere(name, task) {
          for step in steps where step.act == .write || step.act == .writeAll { ledger.forbid(step.job) }
        }
      }
    }
  }

  private func step(_ job: String) -> Step {
    let acts: [Act] = isCalm ? [.latest, .latestAgain, .latestOfMany, .submit, .write, .writeAll, .step] : Act.allCases
    let first = world.random.below(2)
    let keys = world.random.once(in: 3) ? ["x", "y"] : [["x", "y"][first]]
    return Step(
      act: acts[world.random.below(acts.count)], job: job, keys: world.random.once(in: 4) ? keys.reversed() : keys,
      latest: LatestLedger.Latest(key: ["s", "t"][world.random.below(2)], isTyped: world.random.once(in: 4)),
      work: LatestLedger.Work(&world.random), steps: world.random.below(3))
  }

  private func play(_ step: Step) async {
    let (job, keys, work) = (step.job, step.keys, step.work)
    switch step.act {
    case .latest, .latestAgain: ledger.submit(job, [keys[0]], latest: step.latest, work)
    case .latestOfMany: ledger.submit(job, keys, latest: step.latest, work)
    case .submit: ledger.submit(job, keys, work)
    case .write: await ledger.write(job, keys, work)
    case .writeAll: await ledger.write(job, nil, work)
    case .step: await world.steps(step.steps)
    case .rest: await ledger.rest()
    case .pause:
      if ledger.isPaused { return }
      ledger.pause()
      if work.rests { await ledger.rest() } else { await world.steps(step.steps) }
      ledger.resume()
    case .clear: ledger.cancelAll()
    case .drain: await ledger.drain(job)
    case .close: if work.rests { ledger.close() }
    }
  }

  func check() { ledger.check() }
}
