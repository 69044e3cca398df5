import CoalescingTasks

/// What a model's tasks ask of a reloader.
struct DrawnRequest {
  let policy: ReloadPolicy
  let waits: Bool
  let steps: Int
  let fails: Bool
  let pause: Int

  init(_ world: World) {
    policy = ReloadPolicy.allCases[world.random.below(3)]
    waits = world.random.once(in: 2)
    steps = world.random.below(world.isTiny ? 2 : 3)
    fails = world.random.once(in: 6)
    pause = world.random.below(2)
  }

  func make(_ name: String, _ log: ReloadLog) async {
    await log.world.steps(pause)
    await log.ask(name, policy, waits: waits, steps: steps, fails: fails)
  }
}

/// Requests of every policy against whatever runs.
struct ReloadPoliciesModel: Model {
  static let name = "reload-policies"
  static let about = "requests and callers that join, follow and supersede, and results applied on an actor or anywhere"
  static let mustMeet = ["joined", "followed", "carried over", "failed"]

  let world: World
  let log: ReloadLog

  init(_ world: World) {
    self.world = world
    log = ReloadLog(world)
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...3)) {
      let requests = (0..<world.size(1...3, tiny: 1...1)).map { _ in DrawnRequest(world) }
      let isOnScreen = world.random.once(in: 3)
      world.spawn(name) { [log] in
        if isOnScreen { return await onScreen(name, requests) }
        for request in requests { await request.make(name, log) }
      }
    }
  }

  /// From the isolation in which results may be applied.
  @ExploredScreen private func onScreen(_ name: String, _ requests: [DrawnRequest]) async {
    for request in requests { await request.make(name, log) }
  }

  func check() { log.check() }
}
