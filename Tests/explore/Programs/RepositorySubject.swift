import CoalescingTasks

/// Reads that merge, and writes of keys and of all, some of which replace each other.
struct RepositorySubject: Subject {
  static let name = "repository-programs"
  static let about =
    "random programs over reads and writes: merging, replaced writes, all ways in, limits, nesting, priorities"
  static let surface = Program.Surface(
    touchesAll: true, hasKeyLifecycle: false, hasReads: true, hasLatest: true, hasDetached: false)
  static let mustMeet = [
    "jobs that run at the same time", "a read is joined", "a write is replaced", "a replacement is replaced",
    "a newer write beside one that runs", "a newer write of other keys", "a newer write of another type",
    "a newer write behind another of its keys", "a replacement is cancelled",
  ]

  let executor: CoalescingTaskExecutor<String>

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    executor = CoalescingTaskExecutor(
      name: "repo", capacity: options.capacity, maximumConcurrentReads: options.slots,
      reportsTurnsLongerThan: options.turnLimit.map { .milliseconds($0) }, clock: clock,
      onEvent: options.isSilent ? nil : report)
    world.watch(executor, "the executor")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int {
    nonisolated(nonsending) func typed() async throws(Fault) -> Int {
      do { return try await job() } catch { throw .thrown(error) }
    }
    let (name, limit) = (call.label, call.limit.map { Duration.milliseconds($0) })
    switch (call.isTyped, call.touch.keys) {
    case (false, nil): return try await executor.write(name: name, waitingAtMost: limit, job)
    case (false, let keys?): return try await executor.write(touching: keys, name: name, waitingAtMost: limit, job)
    case (true, nil):
      return try await executor.write(name: name, waitingAtMost: limit, rejectedAs: Fault.rejected) {
        () async throws(Fault) in try await typed()
      }
    case (true, let keys?):
      return try await executor.write(touching: keys, name: name, waitingAtMost: limit, rejectedAs: Fault.rejected) {
        () async throws(Fault) in try await typed()
      }
    }
  }

  func read(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int) async throws -> Int {
    let (name, key, priority) = (call.label, call.touch.keys![0], call.priority)
    let limit = call.limit.map { Duration.milliseconds($0) }
    if !call.isTyped {
      return try await executor.read(key, name: name, priority: priority, waitingAtMost: limit, operation)
    }
    return try await executor.read(
      key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: Fault.rejected
    ) { () async throws(Fault) in try await typed(operation) }
  }

  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle {
    let (name, priority, keys) = (call.label, call.priority, call.touch.keys)
    if call.touch.isShared {
      return Handle(call, executor.submitRead(keys![0], name: name, priority: priority, job))
    }
    if let latest = call.latest {
      let (after, most) = (call.draft.map { Duration.milliseconds($0.after) }, call.draft?.atMost)
      let atMost = most.map { Duration.milliseconds($0) }
      if call.isWrapped {
        let job = executor.submitWrite(
          latest: latest, touching: keys!, after: after, atMost: atMost, name: name, priority: priority
        ) { [try await job()] }
        return Handle(call, job) { $0[0] }
      }
      return Handle(
        call,
        executor.submitWrite(
          latest: latest, touching: keys!, after: after, atMost: atMost, name: name, priority: priority, job))
    }
    if let keys { return Handle(call, executor.submitWrite(touching: keys, name: name, priority: priority, job)) }
    return Handle(call, executor.submitWrite(name: name, priority: priority, job))
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
    let isRight =
      now.waiting == counts.waiting && now.running == counts.reading + counts.writing
      && now.isPaused == counts.isPaused && now.isClosed == counts.isClosed
    return isRight ? nil : "\(now)"
  }
}
