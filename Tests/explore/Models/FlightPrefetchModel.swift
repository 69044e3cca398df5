import SerialTasks

/// What is prefetched for one caller, with callers before, on board and after.
struct FlightPrefetchModel: Model {
  static let name = "flight-prefetch"
  static let about = "prefetches that return or fail, callers on board and after, some leaving, some forgetting"

  let world: World
  let log: FlightLog

  init(_ world: World) {
    self.world = world
    log = FlightLog(world, hasOneKey: true)
  }

  func start() {
    for name in ["p", "q"].prefix(world.size(1...2, tiny: 1...1)) {
      let works = (0..<world.size(1...2, tiny: 1...1)).map { _ in FlightLog.Work(&world.random, failsOnceIn: 3) }
      world.spawn(name) { [world, log] in
        for (index, work) in works.enumerated() {
          log.prefetch("\(name)\(index + 1)", .x, work)
          await world.step()
        }
      }
    }
    for name in ["a", "b", "c", "d"].prefix(world.size(1...4, tiny: 1...2)) {
      let (steps, work) = (world.random.below(4), FlightLog.Work(&world.random))
      let task = world.spawn(name) { [world, log] in
        await world.steps(steps)
        await log.call(name, .x, work)
      }
      if world.random.once(in: 3) { log.cancelAnywhere(task, name) }
    }
    if world.random.once(in: 3) {
      let (steps, cancels) = (world.random.below(4), world.random.once(in: 3))
      world.spawn("f") { [world, log] in
        await world.steps(steps)
        if cancels { log.cancel(.x) } else { log.invalidate(.x) }
      }
    }
  }

  func check() { log.check() }
}
