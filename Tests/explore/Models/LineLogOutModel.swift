import SerialTasks

/// A log-out among jobs, and `drain` alone, with callers that leave it.
struct LineLogOutModel: Model {
  static let name = "line-log-out"
  static let about = "submitted and waiting jobs, and a log-out in the middle: close, cancelAll, drain"

  let world: World
  let ledger: Ledger

  init(_ world: World) {
    self.world = world
    ledger = Ledger(world)
  }

  func start() {
    for name in ["a", "b"].prefix(world.size(1...2, tiny: 1...1)) {
      let work = Ledger.Work(&world.random)
      world.spawn(name) { [ledger] in await ledger.enqueue(name, work) }
    }
    let works = (0..<world.size(1...3, tiny: 1...2)).map { _ in Ledger.Work(&world.random) }
    world.spawn("submitter") { [world, ledger] in
      for (index, work) in works.enumerated() {
        ledger.submit("s\(index + 1)", work)
        await world.step()
      }
    }
    logsOut()
    if world.random.once(in: 2) {
      let task = world.spawn("drainer") { [ledger] in await ledger.drain("drainer") }
      if world.random.once(in: 2) { world.cancelAnywhere("drainer", task) }
    }
  }

  private func logsOut() {
    let (closes, pauses) = (!world.random.once(in: 3), world.random.once(in: 3))
    let steps = world.random.below(3)
    world.spawn("log-out") { [world, ledger] in
      await world.steps(steps)
      if closes { ledger.close() }
      // A closed line that has been cleared has nothing left to hold, so it may stay paused for ever.
      if closes, pauses {
        ledger.pause()
        await world.steps(steps)
      }
      ledger.cancelAll()
      await ledger.drain("log-out")
    }
  }

  func check() { ledger.check() }
}
