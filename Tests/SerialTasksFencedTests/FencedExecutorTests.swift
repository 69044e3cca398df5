import SerialTasks
import SerialTasksFenced
import Testing

/// Requests for access, and the jobs that run under one.
@Suite(.watched) struct FencedExecutorTests {
  let gate = Gate()

  /// ```
  ///   a asks ── b … j stand behind it ── granted: a b … j run ── released
  /// ```
  /// Fails if: each caller sends a request, or the line does not keep its order.
  @Test func manyCallersSendOneRequest() async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let callers = Callers(executor: FencedSerialTaskExecutor(name: "fenced", access: engine))
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    let calls = names.map { callers.call($0) }
    await gate.arrived()
    gate.open()
    for call in calls { try await call.value }
    try await callers.executor.drain()
    #expect(callers.log.entries == names.map { "\($0) 1" })
    #expect(engine.log.entries == ["ask k", "grant k 1", "release k 1"])
  }

  /// Fails if: access is kept when no job of the key is left.
  @Test func accessIsReleasedWhenNobodyWaits() async throws {
    let engine = Engine()
    let executor = FencedSerialTaskExecutor(access: engine)
    for _ in 1...3 {
      try await executor.enqueue(for: "k") { _ in }
      try await executor.drain()
    }
    #expect(engine.log.entries == (1...3).flatMap { ["ask k", "grant k \($0)", "release k \($0)"] })
    #expect(executor.busyKeys == 0)
  }

  /// Fails if: more than three jobs run under one grant, or the next request is sent before access was released.
  @Test func accessIsReleasedAfterSoManyJobs() async throws {
    let engine = Engine { [gate] request in if request == 1 { await gate.pass() } }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine, jobsPerAccess: 3))
    let calls = (1...7).map { callers.call("\($0)") }
    await gate.arrived()
    gate.open()
    for call in calls { try await call.value }
    try await callers.executor.drain()
    #expect(callers.log.entries == ["1 1", "2 1", "3 1", "4 2", "5 2", "6 2", "7 3"])
    #expect(engine.log.entries == (1...3).flatMap { ["ask k", "grant k \($0)", "release k \($0)"] })
  }

  /// Fails if: keys share a request.
  @Test func eachKeyHasItsOwnAccess() async throws {
    let engine = Engine { [gate] request in if request == 1 { await gate.pass() } }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let held = callers.call("a", for: "ann")
    await gate.arrived()
    try await callers.call("b", for: "bob").value
    gate.open()
    try await held.value
    #expect(callers.log.entries == ["b 1", "a 1"])
  }

  /// Fails if: a job is not known to be inside its key, or its result must be copyable.
  @Test func aJobIsInsideItsKey() async throws {
    struct Token: ~Copyable { let number: UInt64 }
    let executor = FencedSerialTaskExecutor(access: Engine())
    let token = try await executor.enqueue(for: "k") { fence in
      #expect(executor.isInJob(for: "k") && !executor.isInJob(for: "l"))
      return Token(number: fence.number)
    }
    #expect(token.number == 1)
  }

  /// Fails if: a key that is not equal to itself is kept for ever, or two such jobs wait for each other.
  @Test func keysThatAreNotEqualToThemselves() async throws {
    struct Numbers: ExclusiveAccess {
      nonisolated(nonsending) func withAccess(
        to key: Double, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
      ) async throws { try await turn(Fence(number: 1) {}) }
    }
    let executor = FencedSerialTaskExecutor(access: Numbers())
    try await executor.enqueue(for: .nan) { _ in try await executor.enqueue(for: .nan) { _ in } }
    try await executor.drain()
    #expect(executor.busyKeys == 0)
  }

  /// Fails if: a job that waits for access is counted, or jobs of another key are.
  @Test func waitersAreWaitedFor() async throws {
    let executor = FencedSerialTaskExecutor(access: Engine { [gate] _ in await gate.pass() })
    for key in ["k", "k", "l"] { executor.submit(for: key) { _ in } }
    try await executor.waits(for: 1)
    try await executor.waits(for: 1, of: "k")
    let other = Task.immediate { try await executor.waits(for: 1, of: "l") }
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
    gate.open()
    try await executor.drain()
  }

  /// Fails if: an executor whose last reference is released loses its jobs.
  @Test func aReleasedExecutorSettlesItsJobs() async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    var executor: FencedSerialTaskExecutor<String>? = FencedSerialTaskExecutor(access: engine)
    let jobs = (1...3).map { number in executor!.submit(for: "k") { _ in number } }
    await gate.arrived()
    executor = nil
    gate.open()
    for (job, number) in zip(jobs, 1...3) { #expect(try await job.value == number) }
    try await until { engine.log.entries.last == "release k 1" }
  }

  /// Fails if: requests are not reported, or a failure to release is lost.
  @Test func requestsAreReported() async throws {
    let events = Log<String>()
    let engine = Engine(after: { throw EngineError(request: $0) })
    let executor = FencedSerialTaskExecutor(name: "fenced", access: engine, onEvent: nil, onAccess: { events("\($0)") })
    try await executor.enqueue(for: "k") { _ in }
    try await executor.drain()
    #expect(events.entries.count == 2)
    #expect(events.entries.first == "fenced access[k]: job 1 began")
    #expect(events.entries.last?.contains("failed: EngineError(request: 1)") == true)
  }
}
