import SerialTasks

/// A line in which few may wait.
struct LineCapacityModel: Model {
  static let name = "line-capacity"
  static let about = "more jobs than may wait, submitted and enqueued, some leaving"

  let world: World
  let ledger: Ledger

  init(_ world: World) {
    self.world = world
    ledger = Ledger(world, capacity: world.size(1...3, tiny: 1...1))
  }

  func start() {
    for name in ["a", "b", "c", "d", "e"].prefix(world.size(3...5, tiny: 3...3)) {
      let work = Ledger.Work(&world.random)
      if world.random.once(in: 3) {
        world.spawn(name) { [ledger] in ledger.submit(name, work) }
      } else {
        let task = world.spawn(name) { [ledger] in await ledger.enqueue(name, work) }
        if world.random.once(in: 4) { ledger.cancelAnywhere(task, name, jobs: [name]) }
      }
    }
    if world.random.once(in: 4) {
      world.spawn("holder") { [world, ledger] in
        ledger.pause()
        await world.step()
        ledger.resume()
      }
    }
  }

  func check() { ledger.check() }
}
