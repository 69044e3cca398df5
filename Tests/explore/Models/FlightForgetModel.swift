import SerialTasks

/// `invalidate` and `cancel`, of one key or of all, wherever they can come between callers and a prefetch.
struct FlightForgetModel: Model {
  static let name = "flight-forget"
  static let about = "callers and a prefetch, and keys that are invalidated or cancelled anywhere"

  let world: World
  let log: FlightLog
  let keys: ArraySlice<FlightLog.Key>

  init(_ world: World) {
    self.world = world
    keys = FlightLog.Key.allCases.prefix(world.size(1...2, tiny: 1...1))
    log = FlightLog(world, hasOneKey: keys.count == 1)
  }

  func start() {
    for name in ["a", "b", "c"].prefix(world.size(2...3, tiny: 2...2)) {
      let calls = (0..<world.size(1...3, tiny: 1...2)).map { index in
        ("\(name)\(index + 1)", key(), FlightLog.Work(&world.random))
      }
      let task = world.spawn(name) { [log] in
        for (call, key, work) in calls { await log.call(call, key, work) }
      }
      if world.random.once(in: 5) { log.cancelAnywhere(task, name) }
    }
    if world.random.once(in: 3) {
      let (key, work) = (key(), FlightLog.Work(&world.random, failsOnceIn: 8))
      world.spawn("p") { [log] in log.prefetch("p", key, work) }
    }
    for name in ["f", "g"].prefix(world.size(1...2, tiny: 1...1)) { forgets(name) }
  }

  private func key() -> FlightLog.Key { keys[world.random.below(keys.count)] }

  private func forgets(_ name: String) {
    let (steps, cancels) = (world.random.below(4), world.random.once(in: 2))
    let key = world.random.once(in: 3) ? nil : key()
    world.spawn(name) { [world, log] in
      await world.steps(steps)
      if cancels { log.cancel(key) } else { log.invalidate(key) }
    }
  }

  func check() { log.check() }
}
