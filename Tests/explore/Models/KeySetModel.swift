import SerialTasks

/// Jobs that touch up to three keys, which are cancelled, withdrawn, paused and drained anywhere.
struct KeySetModel: Model {
  static let name = "key-sets"
  static let about = "jobs of key sets: order on each key, no wait between others, slots in turn, all ways to leave"
  static let mustMeet = [
    "jobs that run at the same time", "a job of several keys", "a wait for a slot",
    "a ready job before an earlier one of a busy key",
  ]

  enum Act: CaseIterable {
    case enqueue, enqueueAgain, submit, submitDetached, submitAndCancel, pause, clear, clearOne, drain, drainOne, rest
  }

  private static let keys = ["x", "y", "z"]

  let world: World
  let ledger: KeySetLedger
  /// Mostly jobs and nothing else.
  private let isCalm: Bool
  /// Many jobs of few keys, which are not waited for, so that keys compete for slots.
  private let isCrowded: Bool

  init(_ world: World) {
    self.world = world
    isCalm = world.random.once(in: 2)
    let slots = [nil, nil, 1, 2][world.random.below(4)]
    isCrowded = slots != nil && world.random.once(in: 2)
    ledger = KeySetLedger(
      world, slots: slots,
      capacity: world.random.once(in: 5) ? world.random.within(1...3) : nil)
  }

  private struct Step: Sendable {
    let act: Act
    let job: String
    let keys: [String]
    let work: KeySetLedger.Work
  }

  func start() {
    for name in ["a", "b", "c", "d", "e"].prefix(world.size(2...5, tiny: 2...3)) {
      let steps = (0..<world.size(isCrowded ? 2...5 : 1...3, tiny: isCrowded ? 2...2 : 1...1)).map {
        step("\(name)\($0 + 1)")
      }
      let priority: TaskPriority = [.background, .medium, .high][world.random.below(3)]
      let task = world.spawn(name, priority: priority) { for step in steps { await play(step) } }
      if world.random.once(in: 3) {
        world.cancelAnywhere(name, task) { for step in steps where isAwaited(step) { ledger.forbid(step.job) } }
      }
    }
    if world.random.once(in: 4) { logsOut() }
  }

  private func step(_ job: String) -> Step {
    let acts: [Act] =
      isCrowded
      ? [.submit, .submitDetached, .enqueue, .rest]
      : isCalm ? [.enqueue, .submit, .submitDetached, .submitAndCancel] : Act.allCases
    return Step(
      act: acts[world.random.below(acts.count)], job: job, keys: keys(), work: KeySetLedger.Work(&world.random))
  }

  /// One key or two, more rarely three, or none, in any order, and now and then one of them twice.
  private func keys() -> [String] {
    let count = isCrowded && !world.random.once(in: 4) ? 1 : [1, 1, 1, 2, 2, 2, 2, 3, 3, 0][world.random.below(10)]
    var left = KeySetModel.keys
    var keys = (0..<count).map { _ in left.remove(at: world.random.below(left.count)) }
    if let first = keys.first, world.random.once(in: 8) { keys.append(first) }
    return keys
  }

  private func isAwaited(_ step: Step) -> Bool { step.act == .enqueue || step.act == .enqueueAgain }

  private func logsOut() {
    let steps = world.random.below(4)
    world.spawn("log-out") { [world, ledger] in
      await world.steps(steps)
      ledger.close()
      ledger.cancelAll()
      await ledger.drain("log-out")
    }
  }

  private func play(_ step: Step) async {
    let (job, keys, work) = (step.job, step.keys, step.work)
    switch step.act {
    case .enqueue, .enqueueAgain: await ledger.enqueue(job, keys, work)
    case .submit: ledger.submit(job, keys, work, isDetached: false)
    case .submitDetached: ledger.submit(job, keys, work, isDetached: true)
    case .submitAndCancel:
      ledger.cancel(ledger.submit(job, keys, work, isDetached: work.rests), job, after: work.steps)
    case .pause:
      // Two may hold the keys at once, and either lets them go: only the last word counts.
      if ledger.isPaused { return }
      ledger.pause()
      if work.rests { await ledger.rest() } else { await world.step() }
      ledger.resume()
    case .clear: ledger.cancelAll()
    case .clearOne: if let key = keys.first { ledger.cancelAll(key) }
    case .drain: await ledger.drain(job)
    case .drainOne: if let key = keys.first { await ledger.drain(job, key) }
    case .rest: await ledger.rest()
    }
  }

  func check() { ledger.check() }
}
