import SerialTasks

/// Callers that wait for the line, and cancellation wherever it can come: before the call, waiting, granted, running.
struct LineCancelModel: Model {
  static let name = "line-cancel"
  static let about = "callers of one line, some of whose jobs throw, some cancelled anywhere"

  let world: World
  let ledger: Ledger

  init(_ world: World) {
    self.world = world
    ledger = Ledger(world)
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...3)) {
      let works = (0..<world.size(1...2, tiny: 1...1)).map { _ in Ledger.Work(&world.random) }
      let jobs = works.indices.map { "\(name)\($0 + 1)" }
      let task = world.spawn(name) { [ledger] in
        for (job, work) in zip(jobs, works) { await ledger.enqueue(job, work) }
      }
      if world.random.once(in: 2) { ledger.cancelAnywhere(task, name, jobs: jobs) }
    }
  }

  func check() { ledger.check() }
}
