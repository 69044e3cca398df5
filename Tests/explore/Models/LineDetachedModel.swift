import SerialTasks

/// Jobs that have no task while they wait: neighbours may run in one task, and each is cancelled by itself all the same.
struct LineDetachedModel: Model {
  static let name = "line-detached"
  static let about = "jobs without a task while they wait, cancelled, paused, withdrawn, beside jobs that have one"
  static let mustMeet = [sharedTask]
  private static let sharedTask = "one task for two jobs"

  struct Plan {
    let steps: Int
    let priority: TaskPriority?
    let isDetached: Bool
    /// After how many steps its handle cancels it.
    let cancelsAfter: Int?

    init(_ random: inout SplitMix) {
      steps = random.below(3)
      priority = random.once(in: 5) ? .high : nil
      isDetached = !random.once(in: 5)
      cancelsAfter = random.once(in: 3) ? random.below(4) : nil
    }
  }

  enum Meddling { case nothing, pause, clear }

  let world: World
  let executor = SerialTaskExecutor(name: "line")
  let plans: [Plan]
  let meddling: Meddling
  private let record: Record

  init(_ world: World) {
    self.world = world
    plans = (0..<world.size(2...5, tiny: 1...3)).map { _ in Plan(&world.random) }
    meddling = [.nothing, .nothing, .pause, .clear][world.random.below(4)]
    record = Record(world, count: plans.count)
    world.watch(executor, "the executor")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  func start() {
    world.spawn("submitter") { [world] in
      for (job, plan) in plans.enumerated() {
        DetachedLocal.$owner.withValue(job) { submit(job, plan) }
        if plan.steps == 0 { await world.step() }
      }
    }
    let steps = world.random.below(5)
    world.spawn("meddler") { [world] in
      await world.steps(steps)
      await meddle(steps)
      try? await executor.drain()
    }
  }

  private func submit(_ job: Int, _ plan: Plan) {
    world.note("\(job)", "is submitted")
    record.ask(job)
    let body: @Sendable () async -> Void = { [world, record] in
      if record.begin(job) { world.meet(Self.sharedTask) }
      world.expect(DetachedLocal.owner == (plan.isDetached ? nil : job), "a detached job inherits nothing", "\(job)")
      await world.steps(plan.steps)
      record.end(job)
    }
    let handle =
      plan.isDetached
      ? executor.submitDetached(priority: plan.priority, body) : executor.submit(priority: plan.priority, body)
    handle.whenComplete { [record] in record.answer(job, $0) }
    guard let steps = plan.cancelsAfter else { return }
    world.spawn("canceller of \(job)") { [world, record] in
      await world.steps(steps)
      world.note("\(job)", "is cancelled")
      record.forbid(job)
      handle.cancel()
      record.told(job)
    }
  }

  private func meddle(_ steps: Int) async {
    switch meddling {
    case .nothing: break
    case .pause:
      record.isPaused = true
      executor.pause()
      await world.steps(steps)
      record.isPaused = false
      executor.resume()
    case .clear:
      let asked = record.asked
      for job in asked { record.forbid(job) }
      executor.cancelAll()
      for job in asked { record.told(job) }
    }
  }

  func check() { record.check() }
}

private enum DetachedLocal {
  @TaskLocal static var owner: Int?
}

/// What happened to each job.
///
/// Safe because it is reached only from the one thread that the explorer uses.
private final class Record: @unchecked Sendable {
  private struct Entry {
    var wasAsked = false
    var runs = 0
    var answers = 0
    var mustNotBegin = false
    /// A task is about to cancel it, and then has.
    var mayBeCancelled = false
    var isCancelled = false
  }

  private let world: World
  private var entries: [Entry]
  private var running: Int?
  private var last = (job: -1, task: 0)
  var isPaused = false

  init(_ world: World, count: Int) {
    self.world = world
    entries = Array(repeating: Entry(), count: count)
  }

  /// What is asked for later is not touched by what happens now.
  var asked: [Int] { entries.indices.filter { entries[$0].wasAsked } }

  func ask(_ job: Int) { entries[job].wasAsked = true }

  /// The first instruction of a job; returns whether its task ran the one before it as well.
  func begin(_ job: Int) -> Bool {
    world.note("\(job)", "runs")
    entries[job].runs += 1
    world.expect(running == nil, "one at a time: two jobs never run at once", "\(job)")
    world.expect(job > last.job, "first in, first out by place", "\(job) after \(last.job)")
    world.expect(entries[job].runs == 1, "each job runs once", "\(job)")
    world.expect(!entries[job].mustNotBegin, "cancelled before it began means never ran", "\(job)")
    world.expect(!isPaused, "while it is paused no job begins", "\(job)")
    checkCancellation(job)
    running = job
    let task = withUnsafeCurrentTask { $0?.hashValue ?? 0 }
    defer { last = (job, task) }
    return last.task == task
  }

  /// The last instruction of a job.
  func end(_ job: Int) {
    world.note("\(job)", "ends")
    world.expect(running == job, "one at a time: a job has its turn until it returns", "\(job)")
    checkCancellation(job)
    running = nil
  }

  private func checkCancellation(_ job: Int) {
    let entry = entries[job]
    world.expect(entry.mayBeCancelled || !Task.isCancelled, "a job is not cancelled for another", "\(job)")
    world.expect(!entry.isCancelled || Task.isCancelled, "a running job that is cancelled sees it", "\(job)")
  }

  func answer(_ job: Int, _ result: Result<Void, any Error>) {
    world.note("\(job)", "is answered")
    entries[job].answers += 1
    let hasRun = if case .success = result { true } else { false }
    world.expect(hasRun == (entries[job].runs == 1), "a rejected job never ran, any other did", "\(job)")
  }

  /// A task is about to cancel the job.
  func forbid(_ job: Int) {
    if entries[job].runs == 0 { entries[job].mustNotBegin = true }
    entries[job].mayBeCancelled = true
  }

  /// A task has cancelled the job.
  func told(_ job: Int) { if running == job { entries[job].isCancelled = true } }

  func check() {
    world.expect(entries.allSatisfy { $0.answers == 1 }, "each call is answered once", "\(entries.map(\.answers))")
  }
}
