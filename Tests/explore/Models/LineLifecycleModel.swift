import SerialTasks

/// `pause`, `resume` and `close` between jobs that come, wait, run and leave.
struct LineLifecycleModel: Model {
  static let name = "line-lifecycle"
  static let about = "one line that is paused, resumed and closed while jobs come, wait, run and leave"

  let world: World
  let ledger: Ledger

  init(_ world: World) {
    self.world = world
    ledger = Ledger(world)
  }

  func start() {
    for name in ["a", "b", "c"].prefix(world.size(2...3, tiny: 2...2)) {
      let work = Ledger.Work(&world.random)
      let task = world.spawn(name) { [ledger] in await ledger.enqueue(name, work) }
      if world.random.once(in: 3) { ledger.cancelAnywhere(task, name, jobs: [name]) }
    }
    if world.random.once(in: 2) {
      let work = Ledger.Work(&world.random)
      world.spawn("s") { [ledger] in ledger.submit("s", work) }
    }
    holds()
    if world.random.once(in: 3) {
      world.spawn("closer") { [world, ledger] in
        await world.step()
        ledger.close()
      }
    }
  }

  private func holds() {
    let (rounds, steps) = (world.size(1...2, tiny: 1...1), world.random.below(3))
    world.spawn("holder") { [world, ledger] in
      for _ in 0..<rounds {
        ledger.pause()
        await world.steps(steps)
        ledger.resume()
        await world.step()
      }
    }
  }

  func check() { ledger.check() }
}
