import SerialTasks

/// Callers that lead, join and leave, each for itself.
struct FlightJoinModel: Model {
  static let name = "flight-join"
  static let about = "callers of two keys, some of whose operations throw, some cancelled anywhere"

  let world: World
  let log: FlightLog

  init(_ world: World) {
    self.world = world
    log = FlightLog(world, runsToEnd: world.random.once(in: 4))
  }

  func start() {
    let keys = FlightLog.Key.allCases.prefix(world.size(1...2, tiny: 1...1))
    for name in ["a", "b", "c", "d", "e"].prefix(world.size(2...5, tiny: 2...3)) {
      let calls = (0..<world.size(1...2, tiny: 1...2)).map { index in
        ("\(name)\(index + 1)", keys[world.random.below(keys.count)], FlightLog.Work(&world.random))
      }
      let priority: TaskPriority = [.background, .medium, .high][world.random.below(3)]
      let task = world.spawn(name, priority: priority) { [log] in
        for (call, key, work) in calls { await log.call(call, key, work) }
      }
      if world.random.once(in: 2) { log.cancelAnywhere(task, name) }
    }
  }

  func check() { log.check() }
}
