import SerialTasks

/// Everything at once, of every priority: tasks that draw what they do next from a short list.
struct FlightMixModel: Model {
  static let name = "flight-mix"
  static let about = "tasks of every priority that call, prefetch, invalidate, cancel and sleep, as it comes"

  enum Act: CaseIterable {
    case call, callAgain, prefetch, invalidate, invalidateAll, cancel, cancelAll, sleep
  }

  let world: World
  let log: FlightLog

  init(_ world: World) {
    self.world = world
    log = FlightLog(world, joinWindow: world.random.once(in: 3) ? world.random.within(1...12) : nil)
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)) {
      let acts = (0..<world.size(1...4, tiny: 1...2)).map { index in
        (
          "\(name)\(index + 1)", Act.allCases[world.random.below(Act.allCases.count)],
          FlightLog.Key.allCases[world.random.below(world.isTiny ? 1 : 2)], FlightLog.Work(&world.random)
        )
      }
      let priority: TaskPriority = [.background, .medium, .high][world.random.below(3)]
      let task = world.spawn(name, priority: priority) {
        for (call, act, key, work) in acts { await play(act, call, key, work) }
      }
      if world.random.once(in: 3) { log.cancelAnywhere(task, name) }
    }
  }

  private func play(_ act: Act, _ name: String, _ key: FlightLog.Key, _ work: FlightLog.Work) async {
    switch act {
    case .call, .callAgain: await log.call(name, key, work)
    case .prefetch: log.prefetch(name, key, expiresAfter: 10, work)
    case .invalidate: log.invalidate(key)
    case .invalidateAll: log.invalidate(nil)
    case .cancel: log.cancel(key)
    case .cancelAll: log.cancel(nil)
    case .sleep: await world.sleep(5)
    }
  }

  func check() { log.check() }
}
