import SerialTasks

/// Everything at once, of every priority: tasks that draw what they do next from a short list.
struct LineMixModel: Model {
  static let name = "line-mix"
  static let about = "tasks of every priority that enqueue, submit, cancel, pause, clear and drain, as it comes"

  enum Act: CaseIterable {
    case enqueue, enqueueAgain, submit, submitAndAwait, submitAndCancel, pause, clear, drain, sleep
  }

  let world: World
  let ledger: Ledger

  init(_ world: World) {
    self.world = world
    ledger = Ledger(world, capacity: world.random.once(in: 4) ? world.random.within(1...3) : nil)
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)) {
      let acts = (0..<world.size(1...3, tiny: 1...2)).map { _ in
        (Act.allCases[world.random.below(Act.allCases.count)], Ledger.Work(&world.random))
      }
      let jobs = acts.indices.map { "\(name)\($0 + 1)" }
      let priority: TaskPriority = [.background, .medium, .high][world.random.below(3)]
      let task = world.spawn(name, priority: priority) {
        for ((act, work), job) in zip(acts, jobs) { await play(act, work, job) }
      }
      if world.random.once(in: 3) { cancelAnywhere(task, name, zip(jobs, acts).filter { isEnqueued($1.0) }.map(\.0)) }
    }
  }

  /// Cancelling the task touches the jobs that it waits for, and not those that it submitted.
  private func cancelAnywhere(_ task: Task<Void, Never>, _ name: String, _ jobs: [String]) {
    ledger.cancelAnywhere(task, name, jobs: jobs)
  }

  private func isEnqueued(_ act: Act) -> Bool { act == .enqueue || act == .enqueueAgain }

  private func play(_ act: Act, _ work: Ledger.Work, _ job: String) async {
    switch act {
    case .enqueue, .enqueueAgain: await ledger.enqueue(job, work)
    case .submit: ledger.submit(job, work)
    case .submitAndAwait: await ledger.await(ledger.submit(job, work), job, as: "\(job) waiter")
    case .submitAndCancel: ledger.cancelAnywhere(ledger.submit(job, work), job)
    case .pause:
      // Two may hold the line at once, and either releases it: only the last word counts.
      if ledger.isPaused { return }
      ledger.pause()
      await world.step()
      ledger.resume()
    case .clear: ledger.cancelAll()
    case .drain: await ledger.drain(job)
    case .sleep: await world.sleep(5)
    }
  }

  func check() { ledger.check() }
}
