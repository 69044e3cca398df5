import Testing

@testable import SerialTasks
@testable import SerialTasksFenced

/// How many jobs may wait over all keys, for their turns and for access.
@Suite(.watched) struct FencedCapacityTests {
  let gate = Gate()

  private func executor(
    capacity: Int, jobsPerAccess: Int = 100, engine: Engine, onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) -> FencedSerialTaskExecutor<String> {
    FencedSerialTaskExecutor(access: engine, jobsPerAccess: jobsPerAccess, capacity: capacity, onEvent: onEvent)
  }

  /// A flood over many keys: none waits in a line, each asks for access.
  ///
  /// Fails if: jobs that wait for access are not counted, one that is rejected asks all the same or stays in the way of others, or it
  /// is reported as begun.
  @Test func jobsThatWaitForAccessAreCounted() async throws {
    let (engine, log) = (Engine { [gate] _ in await gate.pass() }, Log<String>())
    let executor = executor(capacity: 2, engine: engine) {
      log("\($0.job ?? "-") \("\($0.kind)".prefix { $0 != "(" })")
    }
    let callers = Callers(executor: executor)
    let accepted = ["a", "b"].map { callers.call($0, for: $0) }
    try await until { engine.requests == 2 }
    for _ in 0..<100 {
      await #expect(throws: JobRejection.full(capacity: 2)) { try await callers.call("c", for: "c").value }
    }
    let submitted = executor.submit(for: "d", name: "d") { _ in _ = Issue.record("it ran") }
    await #expect(throws: JobRejection.full(capacity: 2)) { try await submitted.value }
    await #expect(throws: JobRejection.full(capacity: 2)) {
      try await executor.enqueue(forAll: ["e", "f"]) { _ in _ = Issue.record("it ran") }
    }
    await #expect(throws: JobRejection.late) {
      try await executor.enqueue(for: "g", waitingAtMost: .zero) { _ in _ = Issue.record("it ran") }
    }
    #expect(engine.requests == 2 && executor.busyKeys == 2)
    gate.open()
    for job in accepted { try await job.value }
    try await callers.call("c", for: "c").value
    #expect(callers.log.entries.sorted() == ["a 1", "b 1", "c 1"])
    let told = Array(repeating: "c rejected", count: 100) + ["c began", "c finished"]
    #expect(log.entries.filter { $0.hasPrefix("c ") } == told)
    #expect(log.entries.filter { $0.hasPrefix("d ") } == ["d rejected"])
    try await executor.drain()
  }

  /// Fails if: the two kinds of waiting are counted apart.
  @Test func bothWaitsAreCountedTogether() async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let executor = executor(capacity: 2, engine: engine)
    let callers = Callers(executor: executor)
    let accepted = ["a", "b"].map { callers.call($0, for: "k") }
    for key in ["k", "x"] {
      await #expect(throws: JobRejection.full(capacity: 2)) { try await callers.call("c", for: key).value }
    }
    gate.open()
    for job in accepted { try await job.value }
    #expect(callers.log.entries == ["a 1", "b 1"])
    try await executor.drain()
  }

  /// ```
  ///   a runs, b stands behind it ── a has ended, b has its turn and the main actor is busy ── c asks, and there is no room ── b asks
  /// ```
  /// Fails if: a job that has waited in the line is rejected when it asks for access.
  @Test @MainActor func aJobThatHasWaitedIsNotRejected() async throws {
    let (engine, hold) = (Engine { [gate] in if $0 > 1 { await gate.pass() } }, Gate())
    let executor = executor(capacity: 1, jobsPerAccess: 1, engine: engine)
    let a = Task.detached { try await executor.enqueue(for: "k") { _ in await hold.pass() } }
    await hold.arrived()
    let b = Task.immediate { try await executor.enqueue(for: "k") { _ in } }
    hold.open()
    // No suspension until then, so that b cannot go on.
    while executor.snapshot.waiting > 0 {}
    let c = Task.immediate { try await executor.enqueue(for: "x") { _ in } }
    try await until { engine.requests == 3 }
    gate.open()
    for job in [a, b, c] { try await job.value }
    try await executor.drain()
  }

  /// Fails if: a job is rejected that need not wait.
  @Test func accessThatIsKeptNeedsNoRoom() async throws {
    let engine = Engine { [gate] in if $0 > 1 { await gate.pass() } }
    let executor = FencedSerialTaskExecutor(
      access: engine, keepsAccessFor: .seconds(9), capacity: 1, clock: ManualClock())
    let callers = Callers(executor: executor)
    try await callers.call("a", for: "k").value
    let b = callers.call("b", for: "x")
    try await callers.call("c", for: "k").value
    await #expect(throws: JobRejection.full(capacity: 1)) { try await callers.call("d", for: "y").value }
    gate.open()
    try await b.value
    #expect(callers.log.entries == ["a 1", "c 1", "b 1"])
    executor.close()
    try await executor.drain()
  }
}
