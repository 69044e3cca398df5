import SerialTasks

/// One line: every job touches every key.
struct SerialSubject: Subject {
  static let name = "line-programs"
  static let about =
    "random programs over a serial line: all ways in, limits, pauses, cancellations, nested calls, priorities"
  static let mustMeet = ["one task for two jobs"]
  static let surface = Program.Surface(hasKeys: false, hasKeyLifecycle: false)

  let executor: SerialTaskExecutor

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    executor = SerialTaskExecutor(
      name: "line", capacity: options.capacity,
      reportsTurnsLongerThan: options.turnLimit.map { .milliseconds($0) }, clock: clock,
      onEvent: options.isSilent ? nil : report)
    world.watch(executor, "the executor")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int {
    let (name, limit) = (call.label, call.limit.map { Duration.milliseconds($0) })
    if !call.isTyped { return try await executor.enqueue(name: name, waitingAtMost: limit, job) }
    return try await executor.enqueue(name: name, waitingAtMost: limit, rejectedAs: Fault.rejected) {
      () async throws(Fault) in
      do { return try await job() } catch { throw .thrown(error) }
    }
  }

  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle {
    let (name, priority) = (call.label, call.priority)
    if call.way == .detached { return Handle(call, executor.submitDetached(name: name, priority: priority, job)) }
    return Handle(call, executor.submit(name: name, priority: priority, job))
  }

  func pause() { executor.pause() }
  nonisolated(nonsending) func pauseAndWait() async throws { try await executor.pauseAndWait() }
  func resume() { executor.resume() }
  var isPaused: Bool { executor.snapshot.isPaused }
  func cancelAll(_ key: String?) { executor.cancelAll() }
  nonisolated(nonsending) func drain(_ key: String?) async throws { try await executor.drain() }
  var drainable: any Drainable { executor }

  func mismatch(_ counts: Counts) -> String? {
    let now = executor.snapshot
    let seen = Counts(
      waiting: now.waiting, reading: 0, writing: now.running, isPaused: now.isPaused, isClosed: now.isClosed)
    return seen == counts ? nil : "\(now)"
  }
}
