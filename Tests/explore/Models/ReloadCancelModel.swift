import CoalescingTasks

/// Callers that leave at any moment, and screens that are left.
struct ReloadCancelModel: Model {
  static let name = "reload-cancel"
  static let about = "the same with callers that are cancelled anywhere, and with cancel()"
  static let mustMeet = ["joined", "followed", "carried over", "left", "withdrawn", "cancelled"]

  let world: World
  let log: ReloadLog

  init(_ world: World) {
    self.world = world
    log = ReloadLog(world)
  }

  func start() {
    for name in ["a", "b", "c"].prefix(world.size(2...3, tiny: 2...2)) {
      let requests = (0..<world.size(1...3, tiny: 1...2)).map { _ in DrawnRequest(world) }
      let task = world.spawn(name) { [log] in for request in requests { await request.make(name, log) } }
      if world.random.once(in: 2) { log.cancelAnywhere(task, name) }
    }
    if world.random.once(in: 2) {
      let (steps, isOnScreen) = (world.random.below(4), world.random.once(in: 2))
      world.spawn("leaver") { [world, log] in
        await world.steps(steps)
        if isOnScreen { await leaveFromScreen() } else { log.cancel() }
      }
    }
  }

  @ExploredScreen private func leaveFromScreen() { log.cancel() }

  func check() { log.check() }
}
