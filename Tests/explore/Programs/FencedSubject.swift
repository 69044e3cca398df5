import SerialTasks
import SerialTasksFenced

/// Jobs that need access, from an engine that delays, fails, loses access, goes away and comes back.
struct FencedSubject: Subject {
  static let name = "fenced-programs"
  static let about = "random programs over an executor whose access comes from an engine that does what engines do"
  static let surface = Program.Surface(
    hasSets: false, drainsInside: false, hasDetached: false, hasPause: false, hasLimits: false, keys: ["x", "y"])
  static let mustMeet = ["the engine failed several jobs", "access was lost before a job", "jobs shared a grant"]

  let executor: FencedSerialTaskExecutor<String>
  let grants: Grants

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    let engine = FencedEngine(world)
    grants = Grants(world, engine, limit: world.random.within(1...3))
    executor = FencedSerialTaskExecutor(
      name: "fenced", access: engine, jobsPerAccess: grants.limit, capacityPerKey: options.capacity,
      clock: clock, onEvent: options.isSilent ? nil : report)
    world.watch(executor, "the executor")
    world.watch(engine, "the engine")
    world.probeLock { [executor] in _ = (executor.snapshot, executor.busyKeys) }
    for key in ["x", "y"] where world.random.once(in: 3) {
      let steps = world.random.within(1...3)
      world.spawn("another process at \(key)") {
        await world.steps(steps)
        await engine.serveAnother(key, steps: steps)
      }
    }
    guard world.random.once(in: 4) else { return }
    let steps = world.random.within(1...3)
    world.spawn("the engine's machine") {
      await world.steps(steps)
      engine.isAway = true
      await world.steps(steps)
      engine.isAway = false
    }
  }

  /// What jobs found of their grants.
  ///
  /// Safe because it is reached only from the one thread that the explorer uses.
  final class Grants: @unchecked Sendable {
    let world: World
    let engine: FencedEngine
    let limit: Int
    private var jobs: [String: [UInt64: Int]] = [:]
    private var failed: [Int: Int] = [:]
    private(set) var lastFailure: [String: Int] = [:]

    init(_ world: World, _ engine: FencedEngine, limit: Int) {
      (self.world, self.engine, self.limit) = (world, engine, limit)
    }

    func enter(_ call: Call, _ fence: Fence) {
      let (key, number, name) = (call.touch.keys![0], fence.number, call.name)
      let isHeld = engine.isInForce(number, of: key) || engine.wasLost(number, of: key)
      world.expect(isHeld, "a job runs while access is held", "\(name) under \(number)")
      let highest = jobs[key]?.keys.max() ?? 0
      world.expect(number >= highest, "fences never fall", "\(number) after \(highest)")
      jobs[key, default: [:]][number, default: 0] += 1
      let count = jobs[key]![number]!
      world.expect(count <= limit, "access is given back after so many jobs", "\(count) under \(number)")
      if count > 1 { world.meet("jobs shared a grant") }
      if engine.wasLost(highest, of: key), number > highest { world.meet("access was lost before a job") }
    }

    func fails(_ number: Int, _ key: String) {
      failed[number, default: 0] += 1
      // Of each job it is asked for its event and for its answer.
      if failed[number] == 3 { world.meet("the engine failed several jobs") }
      lastFailure[key] = max(lastFailure[key] ?? 0, number)
    }
  }

  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int {
    let (name, key) = (call.label, call.touch.keys![0])
    nonisolated(nonsending) func body(_ fence: Fence) async throws -> Int {
      grants.enter(call, fence)
      return try await job()
    }
    switch (call.isTyped, call.limit.map { Duration.milliseconds($0) }) {
    case (false, nil): return try await executor.enqueue(for: key, name: name, body)
    case (false, let limit?): return try await executor.enqueue(for: key, name: name, waitingAtMost: limit, body)
    case (true, nil):
      return try await executor.enqueue(for: key, name: name, rejectedAs: fault) { fence async throws(Fault) in
        do { return try await body(fence) } catch { throw .thrown(error) }
      }
    case (true, let limit?):
      return try await executor.enqueue(for: key, name: name, waitingAtMost: limit, rejectedAs: fault) {
        fence async throws(Fault) in
        do { return try await body(fence) } catch { throw .thrown(error) }
      }
    }
  }

  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle {
    let (name, key, priority) = (call.label, call.touch.keys![0], call.priority)
    let body: @Sendable (Fence) async throws -> Int = { [grants] fence in
      grants.enter(call, fence)
      return try await job()
    }
    if !call.isTyped { return Handle(call, executor.submit(for: key, name: name, priority: priority, body)) }
    return Handle(
      call,
      executor.submit(for: key, name: name, priority: priority, rejectedAs: fault) { fence throws(Fault) in
        do { return try await body(fence) } catch { throw .thrown(error) }
      })
  }

  private var fault: @Sendable (FencedRejection) -> Fault {
    {
      switch $0 {
      case .rejected(let why): .rejected(why)
      case .noAccess(let error): .thrown(error)
      }
    }
  }

  func cancelAll(_ key: String?) {
    grants.world.scheduler.uninterrupted { if let key { executor.cancelAll(for: key) } else { executor.cancelAll() } }
  }
  nonisolated(nonsending) func drain(_ key: String?) async throws {
    if let key { try await executor.drain(for: key) } else { try await executor.drain() }
  }
  var drainable: any Drainable { executor }
  func mismatch(_ counts: Counts) -> String? { nil }

  func failure(of touch: Touch) -> Int { grants.lastFailure[touch.keys![0]] ?? 0 }

  func fails(_ error: any Error, _ touch: Touch, since last: Int) -> Bool {
    switch error {
    case let failure as FencedEngine.Failure:
      grants.fails(failure.number, touch.keys![0])
      return failure.number > last
    case AccessError.lost(let number, _): return grants.engine.wasLost(number, of: touch.keys![0])
    default: return false
    }
  }

  func check(_ world: World) {
    world.expect(!grants.engine.isBusy, "access is given back when no job waits")
    world.expect(executor.busyKeys == 0, "an idle key costs nothing")
  }
}
