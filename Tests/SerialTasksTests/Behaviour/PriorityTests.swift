import CoalescingTasks
import Testing

/// README, *Order*: a high-priority waiter raises the priority of the jobs ahead of it.
///
/// Raising is seen where the job asks for its current priority.
@Suite(.watched) struct PriorityTests {
  /// Returns when the current task has been raised to the priority, as it is in the middle of these jobs.
  private static func raised(to priority: TaskPriority) async throws {
    try await until { Task.currentPriority >= priority }
  }

  /// Raising runs its user's code, and the task that is raised may end meanwhile: it must not end too early.
  ///
  /// Fails if: the raise runs under the line's lock (then this hangs), or the holder does not wait for its pin.
  @Test func raisingMayCallTheExecutor() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let log = Log<Int>()
    let running = Task.detached(priority: .background) {
      await withTaskPriorityEscalationHandler {
        try? await executor.enqueue {
          await gate.pass()
          try await Self.raised(to: .high)
        }
      } onPriorityEscalated: { _, _ in
        log(executor.snapshot.waiting)
      }
    }
    await gate.arrived()
    gate.open()
    try await Task.detached(priority: .high) { try await executor.enqueue {} }.value
    await running.value
    #expect(log.entries.count >= 1)
  }

  /// Tasks that come and go while they are raised, `async let` children among them, whose memory is their parent's.
  @Test func tasksAreRaisedWhileTheyEnd() async throws {
    let executor = SerialTaskExecutor()
    for _ in 0..<2_000 {
      let low = Task.detached(priority: .background) {
        async let first: Void = executor.enqueue { await Task.yield() }
        async let second: Void = executor.enqueue {}
        _ = try await (first, second)
      }
      let high = Task.detached(priority: .high) { try await executor.enqueue {} }
      _ = (try await low.value, try await high.value)
    }
    #expect(executor.snapshot.running == 0)
  }

  /// A task that is made without a priority has its maker's base priority, not the one its maker was raised to.
  ///
  /// Fails if: a submitted job is recorded at its submitter's current priority, and so taken for high enough.
  @Test func aJobOfARaisedSubmitterIsRaised() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let submitter = Task.detached(priority: .background) {
      try await Self.raised(to: .high)
      return executor.submit {
        await gate.pass()
        try await Self.raised(to: .high)
      }
    }
    submitter.escalatePriority(to: .high)
    let job = try await submitter.value
    gate.open()
    try await Task.detached(priority: .high) { try await executor.enqueue {} }.value
    try await job.value
  }

  /// Fails if: a read is not raised by the write behind it, because another read beside it was high enough.
  @Test func everyReadAheadOfAWriteIsRaised() async throws {
    let notes = CoalescingTaskExecutor<Int>()
    let (gate, passed) = (Gate(), Gate())
    let low = notes.submitRead(1, priority: .low) {
      await gate.pass()
      try await Self.raised(to: .high)
    }
    // It has another type, and so it does not join.
    let high = notes.submitRead(1, priority: .high) { () -> Int in
      await passed.pass()
      return 1
    }
    await gate.arrived()
    await passed.arrived()
    let write = notes.submitWrite(touching: [1], priority: .high) {}
    gate.open()
    try await low.value
    passed.open()
    #expect(try await high.value == 1)
    try await write.value
  }

  /// Fails if: a drain does not raise the job that runs, or those that wait, callers and submitted jobs.
  @Test func aDrainRaisesAll() async throws {
    let executor = SerialTaskExecutor()
    let (gate, log) = (Gate(), Log<TaskPriority>())
    for _ in 0..<3 {
      executor.submit(priority: .background) {
        await gate.pass()
        log(Task.currentPriority)
      }
    }
    await gate.arrived()
    // Detached, so that nothing but the line can raise it.
    let caller = Task.detached(priority: .background) { try await executor.enqueue { log(Task.currentPriority) } }
    try await executor.waits(for: 3)
    let drain = Task.immediate(priority: .high) { try await executor.drain() }
    gate.open()
    try await drain.value
    try await caller.value
    #expect(log.entries == Array(repeating: .high, count: 4))
  }

  /// Fails if: a drain of all keys raises no job, or those of one key only.
  @Test func aDrainOfAllKeysRaisesAll() async throws {
    let executor = KeyedSerialTaskExecutor<Int>()
    let (gate, log) = (Gate(), Log<TaskPriority>())
    for number in 0..<6 {
      executor.submit(for: number % 3, priority: .background) {
        await gate.pass()
        log(Task.currentPriority)
      }
    }
    await gate.arrived(3)
    let drain = Task.immediate(priority: .high) { try await executor.drain() }
    gate.open()
    try await drain.value
    #expect(log.entries == Array(repeating: .high, count: 6))
  }

  /// ```
  ///   urgent: waits for c, and then for b ····
  ///   low:    a ── b, before the urgent one
  /// ```
  /// Fails if: a call inside a turn that begins at once is not raised, though it goes before an urgent job.
  @Test func aCallInATurnBeforeAnUrgentJob() async throws {
    let executor = KeyedSerialTaskExecutor<String>()
    let held = await Held(executor, "c")
    let urgent = Task.immediate(priority: .high) { try await executor.enqueue(forAll: ["b", "c"]) {} }
    let (log, done) = (Log<TaskPriority>(), Gate())
    let low = Task.detached(priority: .background) {
      try await executor.enqueue(for: "a") { try await executor.enqueue(for: "b") { log(Task.currentPriority) } }
      done.open()
    }
    await done.pass()
    #expect(log.entries == [.high])
    try await held.release()
    try await low.value
    try await urgent.value
  }

  /// Fails if: a call inside a turn is raised to the priority of jobs that have ended before it came.
  @Test func whatHasEndedRaisesNothing() async throws {
    let executor = CoalescingTaskExecutor<String>()
    try await executor.submitWrite(touching: ["a"], priority: .high) {}.value
    try await executor.drain()
    let (gate, log, done) = (Gate(), Log<TaskPriority>(), Gate())
    let low = Task.detached(priority: .background) {
      try await executor.write(touching: ["a"]) {
        await gate.pass()
        try await executor.write(touching: ["b"]) { log(Task.currentPriority) }
      }
      done.open()
    }
    await gate.arrived()
    let behind = executor.submitWrite(priority: .background) {}
    gate.open()
    await done.pass()
    #expect(log.entries == [.background])
    try await low.value
    try await behind.value
  }
}
