import SerialTasks
import SerialTasksFenced

/// An executor whose access comes from an engine that does what engines do.
struct FencedMixModel: Model {
  static let name = "fenced-mix"
  static let about = "jobs that need access, from an engine that delays, fails, loses access, goes away and comes back"
  static let mustMeet = [FencedLog.failed, FencedLog.lost, FencedLog.shared, FencedLog.left]

  enum Act: CaseIterable { case enqueue, enqueueAgain, submit, submitAndCancel, clear, clearOne, drain, away, another }

  private struct Step: Sendable {
    let act: Act
    let job: String
    let key: String
    let steps: Int
  }

  let world: World
  private let log: FencedLog

  init(_ world: World) {
    self.world = world
    log = FencedLog(world, limit: world.random.within(1...3))
  }

  func start() {
    for name in ["a", "b", "c", "d"].prefix(world.size(2...4, tiny: 2...2)) {
      let acts = (0..<world.size(1...3, tiny: 1...2)).map { index in
        Step(
          act: Act.allCases[world.random.below(Act.allCases.count)], job: "\(name)\(index + 1)",
          key: ["x", "y"][world.random.below(world.isTiny ? 1 : 2)], steps: world.random.below(3))
      }
      let task = world.spawn(name) { for act in acts { await play(act) } }
      if world.random.once(in: 3) {
        world.cancelAnywhere(name, task) { for act in acts { log.mayLeave(act.job) } }
      }
    }
  }

  private func play(_ step: Step) async {
    switch step.act {
    case .enqueue, .enqueueAgain: await log.enqueue(step.job, step.key, step.steps)
    case .submit: log.submit(step.job, step.key, step.steps)
    case .submitAndCancel: log.submitAndCancel(step.job, step.key, step.steps)
    case .clear: log.clear(nil)
    case .clearOne: log.clear(step.key)
    case .drain: await log.drain()
    case .away:
      log.engine.isAway = true
      await world.steps(step.steps)
      log.engine.isAway = false
    case .another: await log.engine.serveAnother(step.key, steps: step.steps)
    }
  }

  func check() { log.check() }
}

/// What happened to each job, and under which grant.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class FencedLog: @unchecked Sendable {
  static let failed = "the engine failed several jobs"
  static let lost = "access was lost before a job"
  static let shared = "jobs shared a grant"
  static let left = "a caller left while it waited"

  private struct Entry {
    let key: String
    /// The last failure that had reached a job when this job came.
    let failure: Int
    var runs = 0
    var ends = 0
    var mayLeave = false
    var isWithdrawn = false
    var isDrained = false
  }

  let world: World
  let engine: FencedEngine
  let executor: FencedSerialTaskExecutor<String>
  private let limit: Int
  private var entries: [String: Entry] = [:]
  private var running: [String: String] = [:]
  private var grants: [String: [UInt64: Int]] = [:]
  private var failedJobs: [Int: Int] = [:]
  private var lastFailure: [String: Int] = [:]

  init(_ world: World, limit: Int) {
    let engine = FencedEngine(world)
    let executor = FencedSerialTaskExecutor(name: "fenced", access: engine, jobsPerAccess: limit)
    self.world = world
    self.limit = limit
    self.engine = engine
    self.executor = executor
    world.watch(executor, "the executor")
    world.watch(engine, "the engine")
    world.probeLock { [executor] in _ = (executor.snapshot, executor.busyKeys) }
  }
}

// MARK: - Jobs

extension FencedLog {
  func enqueue(_ job: String, _ key: String, _ steps: Int) async {
    arrive(job, key)
    do {
      try await executor.enqueue(for: key, name: job) { await run(job, key, $0, steps) }
      end(job, nil)
    } catch { end(job, error) }
  }

  @discardableResult
  func submit(_ job: String, _ key: String, _ steps: Int) -> SubmittedJob<Void, any Error> {
    arrive(job, key)
    let handle = executor.submit(for: key, name: job) { await self.run(job, key, $0, steps) }
    handle.whenComplete { result in
      if case .failure(let error) = result { self.end(job, error) } else { self.end(job, nil) }
    }
    return handle
  }

  func submitAndCancel(_ job: String, _ key: String, _ steps: Int) {
    let handle = submit(job, key, steps)
    world.spawn("canceller of \(job)") { [self] in
      await world.steps(steps)
      mayLeave(job)
      world.scheduler.uninterrupted { handle.cancel() }
    }
  }

  private func arrive(_ job: String, _ key: String) {
    world.note(job, "comes to", key)
    entries[job] = Entry(key: key, failure: lastFailure[key] ?? 0, mayLeave: Task.isCancelled)
  }

  /// The task of the job is about to be cancelled.
  func mayLeave(_ job: String) { entries[job]?.mayLeave = true }

  private func run(_ job: String, _ key: String, _ fence: Fence, _ steps: Int) async {
    world.note(job, "runs under", "\(fence.number)")
    entries[job]!.runs += 1
    world.expect(running[key] == nil, "one at a time: two jobs of a key never run at once", job)
    world.expect(entries[job]!.ends == 0 && entries[job]!.runs == 1, "each job runs once", job)
    world.expect(!entries[job]!.isDrained, "what is drained never runs", job)
    world.expect(!entries[job]!.isWithdrawn, "a job that was withdrawn before it began never runs", job)
    world.expect(
      engine.isInForce(fence.number, of: key) || engine.wasLost(fence.number, of: key),
      "a job runs while access is held", "\(job) under \(fence.number)")
    let highest = grants[key]?.keys.max() ?? 0
    world.expect(fence.number >= highest, "fences never fall", "\(fence.number) after \(highest)")
    grants[key, default: [:]][fence.number, default: 0] += 1
    let jobs = grants[key]![fence.number]!
    world.expect(jobs <= limit, "access is given back after so many jobs", "\(jobs) under \(fence.number)")
    if jobs > 1 { world.meet(FencedLog.shared) }
    if engine.wasLost(highest, of: key), fence.number > highest { world.meet(FencedLog.lost) }
    running[key] = job
    await world.steps(steps)
    running[key] = nil
    world.note(job, "ends")
  }

  private func end(_ job: String, _ error: (any Error)?) {
    world.note(job, "is answered", error.map { "\($0)" } ?? "")
    entries[job]!.ends += 1
    let entry = entries[job]!
    world.expect(entry.ends == 1, "each call is answered once", job)
    world.expect((error == nil) == (entry.runs == 1), "a job that fails never ran, any other did", job)
    switch error {
    case nil: break
    case let failure as FencedEngine.Failure:
      world.expect(failure.number > entry.failure, "an error reaches the jobs that asked, and no later one", job)
      failedJobs[failure.number, default: 0] += 1
      lastFailure[entry.key] = max(lastFailure[entry.key] ?? 0, failure.number)
      if failedJobs[failure.number]! > 1 { world.meet(FencedLog.failed) }
    case is CancellationError:
      world.expect(entry.mayLeave, "a job is not cancelled for another", job)
      world.meet(FencedLog.left)
    case .some(JobRejection.withdrawn):
      world.expect(entry.isWithdrawn, "only what is cleared is withdrawn", job)
    case .some(AccessError.lost(let number, _)):
      world.expect(engine.wasLost(number, of: entry.key), "only what is lost is said to be", job)
    case .some(let error): world.expect(false, "no other error is thrown", "\(job): \(error)")
    }
  }
}

// MARK: - All jobs

extension FencedLog {
  func clear(_ key: String?) {
    world.note(key ?? "all keys", "is cleared")
    for job in entries.keys.sorted() where entries[job]!.ends == 0 && (key == nil || entries[job]!.key == key) {
      if entries[job]!.runs == 0 { entries[job]!.isWithdrawn = true }
      entries[job]!.mayLeave = true
    }
    world.scheduler.uninterrupted { if let key { executor.cancelAll(for: key) } else { executor.cancelAll() } }
  }

  func drain() async {
    let asked = entries.keys.sorted()
    do { try await executor.drain() } catch {
      world.expect(Task.isCancelled, "drain throws only when its caller is cancelled")
      return
    }
    for job in asked {
      entries[job]!.isDrained = true
      world.expect(!running.values.contains(job), "what is drained has ended", job)
    }
  }

  func check() {
    let open = entries.keys.sorted().filter { entries[$0]!.ends != 1 }
    world.expect(open.isEmpty, "each call is answered once", "\(open)")
    world.expect(!engine.isBusy, "access is given back when no job waits")
    world.expect(executor.busyKeys == 0, "an idle key costs nothing")
  }
}
