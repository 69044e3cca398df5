import SerialTasksFenced
@_spi(Testing) import SerialTasksFencedTesting

/// Jobs that need access, from an engine that delays, fails, loses access, goes away and comes back.
struct FencedSubject: Subject {
  static let name = "fenced-programs"
  static let about = "random programs over an executor whose access comes from an engine that does what engines do"
  static let surface = Program.Surface(hasDetached: false, hasLimits: false)
  static let mustMeet = [
    "the engine failed several jobs", "access was lost before a job", "jobs shared a grant", "a job of several keys",
    "the engine heard that another asks", "a pause that waits", "a job for which all keys together had no room",
  ]

  let executor: FencedSerialTaskExecutor<String>
  let grants: Grants

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    let keeping = [0, 0, 1, 4][world.random.below(4)]
    let engine = FencedEngine(world, isCalm: keeping > 0)
    grants = Grants(world, engine, limit: world.random.within(1...3))
    executor = FencedSerialTaskExecutor(
      name: "fenced", access: engine, jobsPerAccess: grants.limit, keepsAccessFor: .milliseconds(keeping),
      capacity: options.capacityOfAll, capacityPerKey: options.capacityPerKey, clock: clock,
      onEvent: options.isSilent ? nil : report)
    world.watch(executor, "the executor")
    world.watch(engine, "the engine")
    world.probeLock { [executor] in _ = (executor.snapshot, executor.keysInUse) }
    // A job that asks for keys inside its turn gives up the order in which keys are asked for.
    let others = options.isNested ? [["x"], ["y"]] : [["x"], ["y"], ["x", "y"], ["x", "y", "z"], ["y", "z"]]
    for keys in others where world.random.once(in: 3) {
      let steps = world.random.within(1...3)
      world.spawn("another process at \(keys.joined(separator: ", "))") {
        await world.steps(steps)
        await engine.serveAnother(keys, steps: steps)
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

    func enter(_ call: Call, _ fences: [String: Fence]) {
      world.endPlacing()
      world.expect(Set(fences.keys) == Set(call.touch.keys!), "a job has a fence for each key", call.name)
      if fences.count > 1 { world.meet("a job of several keys") }
      for (key, fence) in fences.sorted(by: { $0.key < $1.key }) { enter(call, key, fence.number) }
    }

    private func enter(_ call: Call, _ key: String, _ number: UInt64) {
      let name = call.name
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

    func fails(_ number: Int) {
      failed[number, default: 0] += 1
      // Of each job it is asked for its event and for its answer.
      if failed[number] == 3 { world.meet("the engine failed several jobs") }
      let key = engine.failed[number]!
      lastFailure[key] = max(lastFailure[key] ?? 0, number)
    }
  }

  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int {
    let (name, keys, limit) = (call.label, call.touch.keys!, call.limit.map { Duration.milliseconds($0) })
    let only = keys.count == 1 && call.work.steps != 1 ? keys[0] : nil
    nonisolated(nonsending) func body(_ fences: [String: Fence]) async throws -> Int {
      grants.enter(call, fences)
      return try await job()
    }
    nonisolated(nonsending) func typedBody(_ fences: [String: Fence]) async throws(Fault) -> Int {
      do { return try await body(fences) } catch { throw .thrown(error) }
    }
    // A job of several keys may end requests before it has its place.
    grants.world.beginPlacing()
    switch (only, call.isTyped) {
    case (let only?, false):
      return try await executor.enqueue(for: only, name: name, waitingAtMost: limit) { try await body([only: $0]) }
    case (let only?, true):
      return try await executor.enqueue(for: only, name: name, waitingAtMost: limit, rejectedAs: fault) {
        fence async throws(Fault) in try await typedBody([only: fence])
      }
    case (nil, false): return try await executor.enqueue(touching: keys, name: name, waitingAtMost: limit, body)
    case (nil, true):
      return try await executor.enqueue(
        touching: keys, name: name, waitingAtMost: limit, rejectedAs: fault, typedBody)
    }
  }

  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle {
    let (name, keys, priority) = (call.label, call.touch.keys!, call.priority)
    let body: @Sendable ([String: Fence]) async throws -> Int = { [grants] fences in
      grants.enter(call, fences)
      return try await job()
    }
    grants.world.beginPlacing()
    defer { grants.world.endPlacing() }
    if keys.count == 1, call.work.steps != 1 {
      return Handle(
        call, executor.submit(for: keys[0], name: name, priority: priority) { try await body([keys[0]: $0]) })
    }
    return Handle(call, executor.submit(touching: keys, name: name, priority: priority, body))
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

  func pause() { grants.world.scheduler.uninterrupted { executor.pause() } }
  nonisolated(nonsending) func pauseAndWait() async throws {
    try await executor.pauseAndWait()
    grants.world.expect(!grants.engine.isAsked(), "paused means that no access is held or asked for")
  }
  func resume() { executor.resume() }

  func isHeldElsewhere(_ touch: Touch) -> Bool { touch.keys!.contains { grants.engine.isHeld($0, by: 1) } }

  /// The last failure that has certainly reached a job of each of the keys.
  func failure(of touch: Touch) -> Int { touch.keys!.map { grants.lastFailure[$0] ?? 0 }.min() ?? 0 }

  func fails(_ error: any Error, _ touch: Touch, since last: Int) -> Bool {
    switch error {
    case let failure as FencedEngine.Failure:
      grants.fails(failure.number)
      return failure.number > last && touch.contains(grants.engine.failed[failure.number]!)
    case AccessError.lost(let number, _): return touch.keys!.contains { grants.engine.wasLost(number, of: $0) }
    default: return false
    }
  }

  func check(_ world: World) {
    world.expect(!grants.engine.isBusy, "access is given back when no job waits")
    world.expect(executor.keysInUse == 0, "an idle key costs nothing")
  }
}
