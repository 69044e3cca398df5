import CoalescingTasks

/// Everything at once: callers, rejections, failures, log-outs, and a clock that leaps anywhere.
struct RenewMixModel: Model {
  static let name = "renew-mix"
  static let about = "tasks that ask, reject what they got, clear and sleep, as it comes, on a clock that leaps"
  static let mustMeet = ["joined", "served", "renewed behind", "left", "withdrawn", "failed", "served the newer value"]

  enum Act: CaseIterable { case ask, askAgain, reject, rejectAnOlder, clear, sleep }

  let world: World
  let log: RenewLog

  init(_ world: World) {
    self.world = world
    log = RenewLog(
      world, renewAhead: world.random.once(in: 2) ? world.random.within(1...6) : 0,
      joinWindow: world.random.once(in: 4) ? world.random.within(1...12) : nil,
      isHesitant: world.random.once(in: 2))
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)) {
      let acts = (0..<world.size(1...4, tiny: 1...2)).map { index in
        (
          "\(name)\(index + 1)", Act.allCases[world.random.below(Act.allCases.count)],
          RenewLog.Work(&world.random)
        )
      }
      let task = world.spawn(name) { [log] in
        for (call, act, work) in acts { await play(act, call, work) }
        _ = log
      }
      if world.random.once(in: 3) { log.cancelAnywhere(task, name) }
    }
    let leaps = (0..<world.size(0...2, tiny: 0...1)).map { _ in world.random.within(1...8) }
    world.spawn("time") { [world, log] in
      for leap in leaps {
        await world.step()
        log.clock.leap(leap)
      }
    }
  }

  private func play(_ act: Act, _ name: String, _ work: RenewLog.Work) async {
    switch act {
    case .ask, .askAgain: await log.call(name, work)
    case .reject: await log.call(name, insteadOf: log.newest, work)
    case .rejectAnOlder: await log.call(name, insteadOf: max(log.newest, 1) - 1, work)
    case .clear: log.clear()
    case .sleep: await world.sleep(5)
    }
  }

  func check() { log.check() }
}
