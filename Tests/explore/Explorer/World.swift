import SerialTasks

/// What a model lives in: its tasks, its events, its chance, and the promises it checks.
///
/// Safe because all of it is reached only from the one thread that the explorer uses, or under its lock.
final class World: @unchecked Sendable {
  /// The first promise that was broken.
  struct Broken: Error {
    let promise: String
    let detail: String
  }

  /// Draws the system: how many tasks, which jobs.
  ///
  /// What runs when is drawn by the strategy.
  var random = SplitMix(seed: 0)
  /// Whether every schedule of the system will be tried, so that it had better be tiny.
  private(set) var isTiny = false
  private(set) var trace = Trace()
  private(set) var broken: Broken?
  private(set) var alive: [String] = []
  /// What was met since the campaign began, and how often.
  private(set) var met: [String: Int] = [:]
  private var watched: [Watched] = []
  private var probes: [() -> Void] = []
  /// Whether the library is being asked for something that needs its lock, at a moment when it must not hold it.
  private(set) var isProbing = false
  /// What the schedule leaves out of the system, by number; and how many numbers it has drawn.
  private var dropped: Set<Int> = []
  private(set) var parts = 0
  let scheduler: Scheduler
  /// Runs what each task of the model does, if that is not to run by itself.
  var around: (@Sendable (_ body: @Sendable () async -> Void) async -> Void)?
  /// Where its tasks run on real threads, which no strategy orders.
  private let lock: RecursiveLock?
  private var tasks: [Task<Void, Never>] = []
  private let start = ContinuousClock.now

  private struct Watched {
    weak var object: AnyObject?
    let name: String
  }

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
    lock = nil
    scheduler.onEnqueue = { [unowned self] in self.probe() }
  }

  init(onThreads seed: UInt64) {
    random = SplitMix(seed: seed)
    scheduler = Scheduler()
    lock = RecursiveLock()
  }

  /// Whether what happens can only be seen a little later, and in another order.
  var isReal: Bool { lock != nil }

  /// Lets no other thread come in between.
  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let lock else { return try body() }
    return try lock.locked(body)
  }

  /// How much time has passed, in milliseconds.
  var now: Int { isReal ? Int((ContinuousClock.now - start) / .milliseconds(1)) : scheduler.now }

  func reset(_ schedule: Schedule, strategy: any Strategy) {
    random = SplitMix(seed: schedule.seed)
    isTiny = schedule.strategy == .exhaustive
    (dropped, parts) = (schedule.dropped, 0)
    trace.reset()
    broken = nil
    alive.removeAll(keepingCapacity: true)
    watched.removeAll(keepingCapacity: true)
    probes.removeAll(keepingCapacity: true)
    scheduler.reset(strategy)
  }

  /// A number of things in the system: few of them where every schedule is tried.
  func size(_ range: ClosedRange<Int>, tiny: ClosedRange<Int>) -> Int { random.within(isTiny ? tiny : range) }

  /// Whether the next part of the system is not left out.
  ///
  /// What asks draws the part all the same, so that the others stay what they are.
  func keeps() -> Bool {
    parts += 1
    return !dropped.contains(parts)
  }
}

// MARK: - Tasks

extension World {
  /// Starts a task of the model.
  ///
  /// It is runnable at once, and the schedule is not over before it has ended.
  @discardableResult
  func spawn(
    _ name: String, priority: TaskPriority? = nil, _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    locked { alive.append(name) }
    let task = Task.detached(priority: priority) {
      if let around = self.around { await around(body) } else { await body() }
      self.locked { self.alive.removeAll { $0 == name } }
    }
    if isReal { locked { tasks.append(task) } }
    return task
  }

  /// Starts a task of the model inside another, which does not wait for it.
  func spawnInside(_ name: String, atOnce: Bool, _ body: @escaping @Sendable () async -> Void) {
    locked { alive.append(name) }
    let body = { @Sendable in
      await body()
      self.locked { if let index = self.alive.firstIndex(of: name) { self.alive.remove(at: index) } }
    }
    if atOnce { Task.immediate { await body() } } else { Task { await body() } }
  }

  /// Returns when all tasks have ended, those included that others start meanwhile.
  func end() async { while let task = locked({ tasks.popLast() }) { await task.value } }

  /// Lets the strategy choose who goes on.
  func step() async {
    if isReal { return await Task.yield() }
    await withUnsafeContinuation { scheduler.add($0) }
  }

  func steps(_ count: Int) async { for _ in 0..<count { await step() } }

  /// Sleeps without time passing: the clock moves on when nothing else can.
  ///
  /// Not ended by cancellation.
  func sleep(_ milliseconds: Int) async {
    if isReal { return (try? await Task.sleep(for: .milliseconds(milliseconds))) ?? () }
    await withUnsafeContinuation { scheduler.add($0, after: milliseconds) }
  }

  /// A place inside synchronous code at which another thread may be faster.
  func point() { if !isReal { scheduler.point() } }

  /// No other thread is faster while the call has no place that is made now.
  func beginPlacing() { if !isReal { scheduler.beginPlacing() } }

  func endPlacing() { if !isReal { scheduler.endPlacing() } }

  /// Whether no task is preempted: every task but the running one is suspended.
  var isQuiet: Bool { !isReal && scheduler.isQuiet }

  /// Runs what may cancel a task in which another task waits, and so calls cancellation handlers
  /// (``Scheduler/uninterrupted(_:)``): the calling task is not preempted in it.
  nonisolated(nonsending) func calmly<Result>(
    _ isCalm: Bool = true, _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    if isReal { return try await body() }
    let before = scheduler.setCalm(isCalm)
    defer { scheduler.setCalm(before) }
    return try await body()
  }

  /// Cancels a task of the model.
  func cancel(_ name: String, _ task: Task<Void, Never>) {
    note(name, "is cancelled")
    if isReal { task.cancel() } else { scheduler.uninterrupted { task.cancel() } }
  }

  /// Cancels a task wherever the strategy places it.
  func cancelAnywhere(_ name: String, _ task: Task<Void, Never>, _ before: @escaping @Sendable () -> Void = {}) {
    cancel(name, task, after: random.below(3), before)
  }

  func cancel(
    _ name: String, _ task: Task<Void, Never>, after steps: Int, _ before: @escaping @Sendable () -> Void = {}
  ) {
    spawn("canceller of \(name)") {
      await self.steps(steps)
      before()
      self.cancel(name, task)
    }
  }
}

// MARK: - Events and promises

extension World {
  func note(_ who: String, _ what: StaticString, _ detail: String = "") {
    // What comes after a broken promise explains nothing.
    locked { if broken == nil { trace.append(who, what, detail) } }
  }

  /// Checks a promise; the schedule fails with the first that is broken.
  func expect(_ holds: Bool, _ promise: @autoclosure () -> String, _ detail: @autoclosure () -> String = "") {
    if holds { return }
    locked {
      if broken != nil { return }
      broken = Broken(promise: promise(), detail: detail())
      trace.append("✗", "broken:", promise())
    }
  }

  /// The object must be gone when the model is.
  func watch(_ object: AnyObject, _ name: String) { watched.append(Watched(object: object, name: name)) }

  /// Calls the closure, which takes a lock of the library for a moment, whenever a task becomes runnable.
  ///
  /// If the lock is held just then, the library resumes a task under it, and the lock traps.
  func probeLock(_ probe: @escaping () -> Void) { if !isReal { probes.append(probe) } }

  /// Something happened that a campaign is to meet.
  func meet(_ sight: String, times: Int = 1) { locked { met[sight, default: 0] += times } }

  func forgetMet() { met = [:] }

  func forgetProbes() { probes.removeAll(keepingCapacity: true) }

  private func probe() {
    isProbing = true
    for probe in probes { probe() }
    isProbing = false
  }

  func checkEveryoneEnded() {
    expect(
      alive.isEmpty, "every caller is resumed: nothing is runnable, and no task waits for ever",
      "still waiting: \(alive.joined(separator: ", "))")
  }

  var isBroken: Bool { locked { broken != nil } }

  /// Whether all that is watched is gone.
  var isReleased: Bool { watched.allSatisfy { $0.object == nil } }

  func checkNothingLeft() {
    for watched in watched {
      expect(watched.object == nil, "what is no longer used is released", "\(watched.name) is still there")
    }
  }
}
