import SerialTasks

/// A log-out over all keys, among jobs of two of them.
struct KeyedLogOutModel: Model {
  static let name = "keyed-log-out"
  static let about = "jobs of two keys, and a log-out of all keys in the middle: close, cancelAll, drain"

  let world: World
  let ledger: KeyedLedger

  init(_ world: World) {
    self.world = world
    ledger = KeyedLedger(world)
  }

  func start() {
    for name in ["a", "b"].prefix(world.size(1...2, tiny: 1...1)) {
      let (work, key) = (Ledger.Work(&world.random), key())
      world.spawn(name) { [ledger] in await ledger[key].enqueue(name, work) }
    }
    for name in ["s", "t"].prefix(world.size(1...2, tiny: 1...1)) {
      let works = (0..<world.size(1...3, tiny: 1...2)).map { _ in (key(), Ledger.Work(&world.random)) }
      world.spawn(name) { [world, ledger] in
        for (index, (key, work)) in works.enumerated() {
          ledger[key].submit("\(name)\(index + 1)", work)
          await world.step()
        }
      }
    }
    logsOut()
    if world.random.once(in: 2) {
      let task = world.spawn("drainer") { [ledger] in await ledger.drain("drainer") }
      if world.random.once(in: 2) { world.cancelAnywhere("drainer", task) }
    }
  }

  private func key() -> String { KeyedLedger.keys[world.random.below(2)] }

  private func logsOut() {
    let (closes, pauses) = (world.random.once(in: 2), world.random.once(in: 3))
    let steps = world.random.below(3)
    world.spawn("log-out") { [world, ledger] in
      await world.steps(steps)
      if closes { ledger.close() }
      // What is closed and has been cleared has nothing left to hold, so it may stay paused for ever.
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
