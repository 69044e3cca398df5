import SerialTasks

/// A job that would wait for its own line, in every way it can, beside strangers: certain ones are turned away at once,
/// unstructured tasks queue and run.
struct LineDeadlockModel: Model {
  static let name = "line-deadlock"
  static let about = "jobs that call their own line: same task, children, awaited submissions, unstructured tasks"

  enum Way: CaseIterable {
    case sameTask, asyncLet, groupChild, grandchild, awaitedSubmission, drain, otherLineBetween
    case task, immediateTask, detachedTask
  }

  let world: World
  let ledger: Ledger
  let other: SerialTaskExecutor
  let way: Way

  init(_ world: World) {
    self.world = world
    way = Way.allCases[world.random.below(Way.allCases.count)]
    ledger = Ledger(world)
    other = SerialTaskExecutor(name: "other")
    world.watch(other, "the other executor")
  }

  func start() {
    world.spawn("a") { [world, ledger] in
      await ledger.enqueue("a \(way)") {
        await world.step()
        await callsItself()
      }
    }
    for name in ["b", "c"].prefix(world.size(1...2, tiny: 1...1)) {
      let work = Ledger.Work(&world.random)
      world.spawn(name) { [ledger] in await ledger.enqueue(name, work) }
    }
  }

  private func callsItself() async {
    let executor = ledger.executor
    switch way {
    case .sameTask: await mustBeTurnedAway { try await executor.enqueue {} }
    case .asyncLet:
      async let child: Void = mustBeTurnedAway { try await executor.enqueue {} }
      await child
    case .groupChild:
      await withTaskGroup(of: Void.self) { $0.addTask { await mustBeTurnedAway { try await executor.enqueue {} } } }
    case .grandchild:
      await withDiscardingTaskGroup { group in
        group.addTask {
          await world.step()
          async let child: Void = mustBeTurnedAway { try await executor.enqueue {} }
          await child
        }
      }
    case .awaitedSubmission: await mustBeTurnedAway { try await executor.submit {}.value }
    case .drain: await mustBeTurnedAway { try await executor.drain() }
    case .otherLineBetween:
      await mustBeTurnedAway(by: ["line", "other", "line"]) {
        try await other.enqueue { try await executor.enqueue {} }
      }
    case .task: starts { body in Task { await body() } }
    case .immediateTask: starts { body in Task.immediate { await body() } }
    case .detachedTask: starts { body in Task.detached { await body() } }
    }
  }

  private func mustBeTurnedAway(
    by path: [String] = ["line", "line"], _ call: @Sendable () async throws -> Void
  ) async {
    do {
      try await call()
      world.expect(false, "a job that would wait for its own line is turned away", "\(way) was let in")
    } catch JobRejection.deadlock(let deadlock) {
      world.note("a", "is turned away")
      world.expect(deadlock.path == path, "a deadlock names its cycle", "\(deadlock.path)")
    } catch { world.expect(false, "a job that would wait for its own line is turned away", "\(way): \(error)") }
  }

  /// The job does not wait for what it starts here, so that must queue like any stranger.
  private func starts(_ start: (@escaping @Sendable () async -> Void) -> Task<Void, Never>) {
    let work = Ledger.Work(&world.random)
    _ = start { [ledger] in await ledger.enqueue("stranger", work) }
  }

  func check() { ledger.check() }
}
