import SerialTasks

/// An executor that is released while its jobs wait, paused or not: they run all the same.
struct LineReleasedModel: Model {
  static let name = "line-released"
  static let about = "an executor that its owner releases, paused or not, while jobs wait"

  let world: World
  let jobs: [String]
  let isPaused: Bool
  private let runs: Runs

  /// Safe because it is reached only from the one thread that the explorer uses.
  private final class Runs: @unchecked Sendable { var names: [String] = [] }

  init(_ world: World) {
    self.world = world
    jobs = Array(["a", "b", "c"].prefix(world.random.within(1...3)))
    isPaused = world.random.once(in: 2)
    runs = Runs()
  }

  func start() {
    world.spawn("owner") { [world] in
      let executor = SerialTaskExecutor(name: "line")
      world.watch(executor, "the executor")
      if isPaused { executor.pause() }
      for name in jobs { submit(name, to: executor) }
    }
  }

  private func submit(_ name: String, to executor: SerialTaskExecutor) {
    world.note(name, "asks")
    let handle = executor.submit(name: name) { [world, runs] in
      world.note(name, "runs")
      runs.names.append(name)
      await world.step()
    }
    world.spawn("waiter of \(name)") { _ = await handle.result }
  }

  func check() { world.expect(runs.names == jobs, "what holds jobs lives until they are settled", "\(runs.names) ran") }
}
