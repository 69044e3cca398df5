import SerialTasks

/// A job that would wait for its own line, in every way it can, beside strangers: certain ones are rejected at once,
/// unstructured tasks queue and run.
struct LineDeadlockModel: Model {
  static let name = "line-deadlock"
  static let about = "jobs that call their own line: same task, children, awaited submissions, unstructured tasks"

  enum Way: CaseIterable {
    case sameTask, asyncLet, groupChild, grandchild, awaitedSubmission, cancelledSubmission, drain, otherLineBetween
    case task, immediateTask, detachedTask, taskOfTask
  }

  let world: World
  let driver: Driver<SerialSubject>
  let other: SerialTaskExecutor
  let way: Way
  let stranger: Work
  private let luggage: [Luggage]

  init(_ world: World) {
    self.world = world
    way = Way.allCases[world.random.below(Way.allCases.count)]
    stranger = Work(&world.random)
    luggage = (0..<3).map { _ in Luggage(&world.random) }
    driver = Driver(world)
    other = SerialTaskExecutor(name: "other")
    world.watch(other, "the other executor")
  }

  func start() {
    world.spawn("a") { [world, driver] in
      await driver.make(call("a \(way)", Work())) { _ in
        await world.step()
        await callsItself()
      }
    }
    for name in ["b", "c"].prefix(world.size(1...2, tiny: 1...1)) {
      let work = Work(&world.random)
      world.spawn(name) { [driver] in await driver.make(call(name, work)) }
    }
  }

  private func call(_ name: String, _ work: Work, _ way: Call.Way = .awaited, cancelledAfter steps: Int? = nil) -> Call
  {
    Call(
      name: name, label: name, way: way, touch: Touch(nil), isTyped: false, work: work, cancelledAfter: steps)
  }

  private func callsItself() async {
    let executor = driver.subject.executor
    switch way {
    case .sameTask: await mustBeRejected { try await executor.enqueue {} }
    case .asyncLet:
      async let child: Void = mustBeRejected { try await executor.enqueue {} }
      await child
    case .groupChild:
      await withTaskGroup(of: Void.self) { $0.addTask { await mustBeRejected { try await executor.enqueue {} } } }
    case .grandchild:
      await withDiscardingTaskGroup { group in
        group.addTask {
          await world.step()
          async let child: Void = mustBeRejected { try await executor.enqueue {} }
          await child
        }
      }
    case .awaitedSubmission: await mustBeRejected { try await executor.submit {}.value }
    case .cancelledSubmission: await mayAwaitWhatWasCancelled()
    case .drain: await mustBeRejected { try await executor.drain() }
    case .otherLineBetween:
      await mustBeRejected(by: ["line", "other", "line"]) {
        try await other.enqueue { try await executor.enqueue {} }
      }
    case .task: starts { body in Task { await body() } }
    case .immediateTask: starts { body in Task.immediate { await body() } }
    case .detachedTask: starts { body in Task.detached { await body() } }
    case .taskOfTask: startsWhatOutlivesIt()
    }
  }

  private func mustBeRejected(
    by path: [String] = ["line", "line"], _ call: @Sendable () async throws -> Void
  ) async {
    do {
      try await call()
      world.expect(false, "a job that would wait for its own line is rejected", "\(way) was let in")
    } catch JobRejection.deadlock(let deadlock) {
      world.note("a", "is rejected")
      world.expect(deadlock.path == path, "a deadlock names its cycle", "\(deadlock.path)")
    } catch { world.expect(false, "a job that would wait for its own line is rejected", "\(way): \(error)") }
  }

  /// A job that was cancelled stands behind no other, so a caller that awaits it waits for nothing.
  private func mayAwaitWhatWasCancelled() async {
    let handle = await driver.make(call("submitted", stranger, .submitted, cancelledAfter: world.random.below(3)))!
    await world.step()
    let wasCancelled = driver.account.entries.contains { $0.call.name == "submitted" && $0.mustNotBegin }
    guard case .failure(let error) = await handle.result() else { return }
    let expected = wasCancelled ? error is CancellationError : error is JobRejection
    world.expect(expected, "awaiting a job is a deadlock if it stands behind one's own, and only then", "\(error)")
  }

  /// The job does not wait for what it starts here, so that must queue like any stranger.
  private func starts(_ start: (@escaping @Sendable () async -> Void) -> Task<Void, Never>) {
    _ = start { [driver, stranger] in await driver.make(call("stranger", stranger)) }
  }

  /// Starts tasks that outlive the job and start others, in memory that the job's task may have left: the marker that they
  /// inherit must not be mistaken for one of their own, wherever the runtime puts it.
  private func startsWhatOutlivesIt() {
    for index in 0..<3 {
      Task { [world, driver, stranger] in
        await world.steps(6)
        luggage[index].carry { _ = Task { await driver.make(call("stranger \(index)", stranger)) } }
      }
    }
  }

  func check() { driver.account.check() }
}

/// Task-locals of other people's, of two sizes: a task that inherits them has its marker in another place.
private struct Luggage {
  let small: Int
  let large: Int

  private static let smalls = (0..<20).map { _ in TaskLocal(wrappedValue: 0) }
  private static let larges = (0..<3).map { _ in TaskLocal(wrappedValue: (0, 0, 0)) }

  init(_ random: inout SplitMix) {
    small = random.within(0...Luggage.smalls.count)
    large = random.within(0...Luggage.larges.count)
  }

  func carry(_ body: () -> Void) { Luggage.bind(Luggage.smalls.prefix(small), Luggage.larges.prefix(large), body) }

  private static func bind(
    _ smalls: ArraySlice<TaskLocal<Int>>, _ larges: ArraySlice<TaskLocal<(Int, Int, Int)>>, _ body: () -> Void
  ) {
    if let last = smalls.last { return last.withValue(1) { bind(smalls.dropLast(), larges, body) } }
    if let last = larges.last { return last.withValue((1, 1, 1)) { bind([], larges.dropLast(), body) } }
    body()
  }
}
