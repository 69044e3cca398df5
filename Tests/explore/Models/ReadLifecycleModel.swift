import Histories
import SerialTasks

/// A line of reads and writes that is paused, cleared, closed and drained from outside.
struct ReadLifecycleModel: Model {
  static let name = "read-lifecycle"
  static let about = "readers and writers, a capacity, and pause, resume, close, cancelAll, drain and the log-out"
  static let mustMeet = History.Sight.names(.merged, .apart, .together, .left)

  enum Act: CaseIterable { case pause, clear, drain, step }

  let world: World
  let database: Database

  init(_ world: World) {
    self.world = world
    database = Database(
      world, limit: [nil, 1, 2][world.random.below(3)],
      capacity: world.random.once(in: 3) ? world.random.within(1...3) : nil)
  }

  func start() {
    for (owner, name) in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)).enumerated() {
      let calls = (0..<world.size(1...3, tiny: 1...2)).map { _ in DrawnCall(world) }
      let cancels = world.random.once(in: 2)
      let task = world.spawn(name) { [world, database] in
        for call in calls { await call.make(of: database, owner: owner, cancelling: cancels ? world : nil) }
      }
      if world.random.once(in: 5) { database.cancelAnywhere(world, name, task, owner: owner) }
    }
    let acts = (0..<world.size(1...3, tiny: 1...1)).map { _ in Act.allCases[world.random.below(Act.allCases.count)] }
    let steps = world.random.below(7)
    world.spawn("outside") {
      for act in acts { await play(act, steps) }
    }
    if world.random.once(in: 3) { logsOut() }
    if world.random.once(in: 3) {
      let task = world.spawn("drainer") { [database] in await database.drain() }
      if world.random.once(in: 2) { world.cancelAnywhere("drainer", task) }
    }
  }

  private func play(_ act: Act, _ steps: Int) async {
    switch act {
    case .pause:
      database.pause()
      await world.steps(steps)
      database.resume()
    case .clear: database.cancelAll()
    case .drain: await database.drain()
    case .step: await world.steps(steps)
    }
  }

  private func logsOut() {
    let steps = world.random.below(4)
    world.spawn("log-out") { [world, database] in
      await world.steps(steps)
      database.close()
      await world.steps(steps)
      database.cancelAll()
      await database.drain()
    }
  }

  func check() { database.check(world) }
}
