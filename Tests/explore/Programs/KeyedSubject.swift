import SerialTasks
@_spi(Testing) import SerialTasksTesting

/// Jobs of keys and of key sets.
struct KeyedSubject: Subject {
  static let name = "key-programs"
  static let about =
    "random programs over jobs of keys and key sets: all ways in, slots, limits, nested calls, priorities"
  static let surface = Program.Surface()
  static let mustMeet = [
    "jobs that run at the same time", "a job of several keys", "a wait for a slot",
    "a ready job before an earlier one of a busy key", "a job for which all keys together had no room",
  ]

  let executor: KeyedSerialTaskExecutor<String>

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    executor = KeyedSerialTaskExecutor(
      name: "keys", capacity: options.capacityOfAll, capacityPerKey: options.capacityPerKey,
      maximumConcurrentJobs: options.slots, reportsTurnsLongerThan: options.turnLimit.map { .milliseconds($0) },
      clock: clock,
      onEvent: options.isSilent ? nil : report)
    world.watch(executor, "the executor")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int {
    let (name, keys, limit) = (call.label, call.touch.keys ?? [], call.limit.map { Duration.milliseconds($0) })
    let only = keys.count == 1 && call.work.steps != 1 ? keys[0] : nil
    nonisolated(nonsending) func typed() async throws(Fault) -> Int {
      do { return try await job() } catch { throw .thrown(error) }
    }
    switch (call.isTyped, only) {
    case (false, let only?): return try await executor.enqueue(for: only, name: name, waitingAtMost: limit, job)
    case (false, nil): return try await executor.enqueue(touching: keys, name: name, waitingAtMost: limit, job)
    case (true, let only?):
      return try await executor.enqueue(for: only, name: name, waitingAtMost: limit, rejectedAs: Fault.rejected) {
        () async throws(Fault) in try await typed()
      }
    case (true, nil):
      return try await executor.enqueue(touching: keys, name: name, waitingAtMost: limit, rejectedAs: Fault.rejected) {
        () async throws(Fault) in try await typed()
      }
    }
  }

  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle {
    let (name, priority, keys) = (call.label, call.priority, call.touch.keys ?? [])
    let only = keys.count == 1 && call.work.steps != 1 ? keys[0] : nil
    if call.way == .detached {
      return Handle(call, executor.submitDetached(for: keys[0], name: name, priority: priority, job))
    }
    if let only { return Handle(call, executor.submit(for: only, name: name, priority: priority, job)) }
    return Handle(call, executor.submit(touching: keys, name: name, priority: priority, job))
  }

  func pause() { executor.pause() }
  nonisolated(nonsending) func pauseAndWait() async throws { try await executor.pauseAndWait() }
  func resume() { executor.resume() }
  var isPaused: Bool { executor.snapshot.isPaused }
  func cancelAll(_ key: String?) { if let key { executor.cancelAll(for: key) } else { executor.cancelAll() } }
  nonisolated(nonsending) func drain(_ key: String?) async throws {
    if let key { try await executor.drain(for: key) } else { try await executor.drain() }
  }
  var drainable: any Drainable { executor }
  func isGranted(_ key: String) -> Bool { executor.snapshot(for: key).running > 0 }

  func mismatch(_ counts: Counts) -> String? {
    let now = executor.snapshot
    let seen = Counts(
      waiting: now.waiting, reading: 0, writing: now.running, isPaused: now.isPaused, isClosed: now.isClosed)
    return seen == counts ? nil : "\(now)"
  }

  /// A detached job has its result before its turn has ended.
  var isReleased: Bool { executor.table.busy == 0 }

  func check(_ world: World) {
    world.expect(executor.table.busy == 0, "an idle key costs nothing", "\(executor.table.busy) keys have a queue")
  }
}
