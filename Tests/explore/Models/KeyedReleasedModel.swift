import SerialTasks

/// An executor with keys that is released while its jobs wait, paused or not: they run all the same.
struct KeyedReleasedModel: Model {
  static let name = "keyed-released"
  static let about = "an executor with keys that its owner releases, paused or not, while jobs wait"

  let world: World
  let jobs: [(name: String, key: Int)]
  let isPaused: Bool
  private let runs: Runs

  /// Safe because it is reached only from the one thread that the explorer uses.
  private final class Runs: @unchecked Sendable { var names: [String] = [] }

  init(_ world: World) {
    self.world = world
    let names = ["a", "b", "c", "d"].prefix(world.random.within(1...4))
    jobs = names.map { ($0, world.random.below(2)) }
    isPaused = world.random.once(in: 2)
    runs = Runs()
  }

  func start() {
    world.spawn("owner") { [world] in
      let executor = KeyedSerialTaskExecutor<Int>(name: "keys")
      world.watch(executor, "the executor")
      if isPaused { executor.pause() }
      for job in jobs { submit(job.name, job.key, to: executor) }
    }
  }

  private func submit(_ name: String, _ key: Int, to executor: KeyedSerialTaskExecutor<Int>) {
    world.note(name, "asks")
    let handle = executor.submit(for: key, name: name) { [world, runs] in
      world.note(name, "runs")
      runs.names.append(name)
      await world.step()
    }
    world.spawn("waiter of \(name)") { _ = await handle.result }
  }

  func check() {
    for key in 0..<2 {
      let asked = jobs.filter { $0.key == key }.map(\.name)
      let ran = runs.names.filter { asked.contains($0) }
      world.expect(ran == asked, "what holds jobs lives until they are settled", "\(ran) ran")
    }
  }
}
