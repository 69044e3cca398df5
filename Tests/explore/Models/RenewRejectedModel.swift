import CoalescingTasks

/// A server refuses a token that all use: it is renewed once, however many ask, whenever they come, even if callers leave.
struct RenewRejectedModel: Model {
  static let name = "renew-rejected"
  static let about = "callers that reject the same value, some of them cancelled anywhere: it is renewed once"
  static let mustMeet = ["joined", "served the newer value", "left", "a failure was tried again"]

  let world: World
  let log: RenewLog

  init(_ world: World) {
    self.world = world
    log = RenewLog(world, isHesitant: world.random.once(in: 2))
  }

  func start() {
    let first = RenewLog.Work(&world.random, failsOnceIn: .max, validFor: 1_000...1_000)
    let callers = ["a", "b", "c", "d", "e"].prefix(world.size(2...5, tiny: 2...3)).map { name in
      (
        name, world.random.below(4), RenewLog.Work(&world.random, failsOnceIn: 4, validFor: 1_000...1_000),
        world.random.once(in: 3)
      )
    }
    let leaps = (0..<world.size(0...2, tiny: 0...1)).map { _ in world.random.within(1...8) }
    world.spawn("time") { [world, log] in
      for leap in leaps {
        await world.step()
        log.clock.leap(leap)
      }
    }
    world.spawn("first") { [world, log] in
      guard let refused = await log.call("first", first) else { return }
      for (name, steps, work, isCancelled) in callers {
        let task = world.spawn(name) {
          await world.steps(steps)
          await log.call(name, insteadOf: refused, work)
        }
        if isCancelled { log.cancelAnywhere(task, name) }
      }
    }
  }

  func check() {
    log.check()
    let later = log.renewals.dropFirst()
    let succeeded = later.count { log.calls[$0.owner].work.error == nil }
    world.expect(succeeded <= 1, "a value that many reject is renewed once", "\(succeeded) times")
    if succeeded == 1, later.count > 1 { world.meet("a failure was tried again") }
  }
}
