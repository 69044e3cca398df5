import SerialTasks

/// Time, which passes anywhere: also between the moment at which a caller looks at the clock and what comes of it.
struct FlightExpiryModel: Model {
  static let name = "flight-expiry"
  static let about = "prefetches that expire and flights too old to be joined, on a clock that leaps anywhere"

  let world: World
  let log: FlightLog

  init(_ world: World) {
    self.world = world
    log = FlightLog(
      world, hasOneKey: true, joinWindow: world.random.once(in: 2) ? world.random.within(1...12) : nil,
      isHesitant: world.random.once(in: 2))
  }

  func start() {
    let (expiresAfter, rounds) = (world.random.within(1...12), world.size(1...2, tiny: 1...1))
    let works = (0..<rounds).map { _ in FlightLog.Work(&world.random, failsOnceIn: 6) }
    world.spawn("p") { [world, log] in
      for (index, work) in works.enumerated() {
        log.prefetch("p\(index + 1)", .x, expiresAfter: expiresAfter, work)
        await world.sleep(5)
      }
    }
    for name in ["a", "b", "c"].prefix(world.size(1...3, tiny: 1...2)) {
      let (milliseconds, steps) = (world.random.below(3) * 5, world.random.below(3))
      let work = FlightLog.Work(&world.random)
      let task = world.spawn(name) { [world, log] in
        await world.steps(steps)
        if milliseconds > 0 { await world.sleep(milliseconds) }
        await log.call(name, .x, work)
      }
      if world.random.once(in: 5) { log.cancelAnywhere(task, name) }
    }
    let leaps = (0..<world.size(1...3, tiny: 1...1)).map { _ in world.random.within(1...8) }
    world.spawn("time") { [world, log] in
      for leap in leaps {
        await world.step()
        log.clock.leap(leap)
      }
    }
  }

  func check() { log.check() }
}
