import SerialTasks

/// Everything at once on two keys, now one and now the other: lines that go from key to key while others come to them.
struct KeyedMixModel: Model {
  static let name = "keyed-mix"
  static let about = "tasks that enqueue, nest, submit, cancel, pause, clear and drain on two keys, as it comes"

  enum Act: CaseIterable {
    case enqueue, enqueueAgain, nest, submit, submitAndAwait, submitAndCancel, pause, clear, clearOne, drain, drainOne
  }

  let world: World
  let ledger: KeyedLedger

  init(_ world: World) {
    self.world = world
    ledger = KeyedLedger(world, capacity: world.random.once(in: 4) ? world.random.within(1...3) : nil)
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)) {
      let acts = (0..<world.size(1...3, tiny: 1...2)).map { index in
        Step(
          act: Act.allCases[world.random.below(Act.allCases.count)], job: "\(name)\(index + 1)",
          key: KeyedLedger.keys[world.random.below(2)], work: Ledger.Work(&world.random))
      }
      let priority: TaskPriority = [.background, .medium, .high][world.random.below(3)]
      let task = world.spawn(name, priority: priority) { for act in acts { await play(act) } }
      if world.random.once(in: 3) {
        world.cancelAnywhere(name, task) { for act in acts { forbid(act) } }
      }
    }
  }

  private struct Step: Sendable {
    let act: Act
    let job: String
    let key: String
    let work: Ledger.Work
  }

  /// Cancelling the task touches the jobs that it waits for, and not those that it submitted.
  private func forbid(_ step: Step) {
    switch step.act {
    case .enqueue, .enqueueAgain: ledger[step.key].forbid(step.job)
    case .nest:
      ledger["x"].forbid("out \(step.job)")
      ledger["y"].forbid("in \(step.job)")
    default: break
    }
  }

  private func play(_ step: Step) async {
    let (key, job, work) = (ledger[step.key], step.job, step.work)
    switch step.act {
    case .enqueue, .enqueueAgain: await key.enqueue(job, work)
    case .nest: await ledger["x"].enqueue("out \(job)") { await ledger["y"].enqueue("in \(job)", work) }
    case .submit: key.submit(job, work)
    case .submitAndAwait: await key.await(key.submit(job, work), job, as: "\(job) waiter")
    case .submitAndCancel: key.cancelAnywhere(key.submit(job, work), job)
    case .pause:
      // Two may hold the keys at once, and either releases them: only the last word counts.
      if ledger.isPaused { return }
      ledger.pause()
      await world.step()
      ledger.resume()
    case .clear: ledger.cancelAll()
    case .clearOne: ledger.cancelAll(step.key)
    case .drain: await ledger.drain(job)
    case .drainOne: await ledger.drain(job, step.key)
    }
  }

  func check() { ledger.check() }
}
