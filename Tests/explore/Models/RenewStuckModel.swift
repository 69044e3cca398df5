import CoalescingTasks

/// Renewals that take longer than the join window, so that newer ones are started beside them and overtake them.
struct RenewStuckModel: Model {
  static let name = "renew-stuck"
  static let about = "renewals that are too old to be joined, and return before, after or while newer ones do"
  static let mustMeet = ["joined", "overtaken", "served", "failed"]

  let world: World
  let log: RenewLog

  init(_ world: World) {
    self.world = world
    log = RenewLog(world, joinWindow: world.random.within(1...4), isHesitant: world.random.once(in: 2))
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)) {
      let works = (0..<world.size(1...2, tiny: 1...2)).map { index in
        ("\(name)\(index + 1)", RenewLog.Work(&world.random, validFor: 1...20))
      }
      let steps = world.random.below(3)
      let task = world.spawn(name) { [world, log] in
        await world.steps(steps)
        for (call, work) in works { await log.call(call, work) }
      }
      if world.random.once(in: 4) { log.cancelAnywhere(task, name) }
    }
    let leaps = (0..<world.size(1...3, tiny: 1...1)).map { _ in world.random.within(1...5) }
    world.spawn("time") { [world, log] in
      for leap in leaps {
        await world.step()
        log.clock.leap(leap)
      }
    }
  }

  func check() { log.check() }
}
