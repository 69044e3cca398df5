import SerialTasks

/// `submit` and `enqueue` in one line, with those who await a submitted job, and handles that cancel.
struct LineSubmitModel: Model {
  static let name = "line-submit"
  static let about = "submit against enqueue order, values awaited and left, handles that cancel"

  let world: World
  let ledger: Ledger

  init(_ world: World) {
    self.world = world
    ledger = Ledger(world)
  }

  func start() {
    for name in ["a", "b"].prefix(world.size(1...2, tiny: 1...1)) {
      let works = (0..<world.size(1...2, tiny: 1...2)).map { _ in Ledger.Work(&world.random) }
      let own = Ledger.Work(&world.random)
      let (cancels, awaits) = (world.random.once(in: 2), world.random.once(in: 2))
      world.spawn(name) {
        // The places of one task are in the order of its calls, whichever kind they are.
        for (index, work) in works.enumerated() {
          submit("\(name)\(index + 1)", work, cancels: cancels && index == 0, awaits: awaits)
        }
        await ledger.enqueue(name, own)
      }
    }
    let work = Ledger.Work(&world.random)
    world.spawn("c") { [ledger] in await ledger.enqueue("c", work) }
  }

  private func submit(_ job: String, _ work: Ledger.Work, cancels: Bool, awaits: Bool) {
    let handle = ledger.submit(job, work)
    if cancels { ledger.cancelAnywhere(handle, job) }
    guard awaits else { return }
    for name in ["x\(job)", "y\(job)"].prefix(world.size(1...2, tiny: 1...1)) {
      let task = world.spawn(name) { [ledger] in await ledger.await(handle, job, as: name) }
      if world.random.once(in: 3) { world.cancelAnywhere(name, task) }
    }
  }

  func check() { ledger.check() }
}
