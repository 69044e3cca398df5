import SerialTasks
import SerialTasksFenced
import Testing

/// Callers that are cancelled, jobs that are withdrawn, and what becomes of requests that no job needs.
@Suite(.watched) struct FencedLeavingTests {
  let gate = Gate()

  /// ```
  ///   a asks ── b waits behind a ── a is cancelled and leaves ── b waits for the same request ── granted: b runs
  /// ```
  /// Fails if: a caller waits on for access when it is cancelled, or takes the request with it.
  @Test func aCallerLeavesWhileItWaitsForAccess() async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let (a, b) = (callers.call("a"), callers.call("b"))
    await gate.arrived()
    a.cancel()
    await #expect(throws: CancellationError.self) { try await a.value }
    gate.open()
    try await b.value
    try await callers.executor.drain()
    #expect(callers.log.entries == ["b 1"] && engine.requests == 1)
  }

  /// ```
  ///   x asks for a ── j{a,b}, submitted, stands behind it ── j is cancelled ── x waits for the same request ── granted: x runs
  /// ```
  /// Fails if: a request ends when a job leaves that stands behind the one that waits for it.
  @Test func aJobLeavesBehindOneThatWaitsForAccess() async throws {
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine)
    let elsewhere = await engine.hold("a")
    let x = Task.immediate { try await bank.enqueue(forAll: ["a", "c"]) { _ in } }
    try await engine.waits(for: 1, of: "a")
    let j = bank.submit(forAll: ["a", "b"]) { _ in _ = Issue.record("it ran") }
    j.cancel()
    await #expect(throws: CancellationError.self) { try await j.value }
    elsewhere.open()
    try await x.value
    try await bank.drain()
    #expect(engine.log.entries.filter { $0.hasPrefix("ask") } == ["ask a", "ask c"])
  }

  /// Fails if: a request goes on that no job needs, or a later job gets nothing.
  @Test func theLastCallerCancelsTheRequest() async throws {
    let cancelled = Gate()
    let engine = Engine { [gate] request in
      guard request == 1 else { return }
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        Task { await cancelled.pass() }
      }
      try Task.checkCancellation()
    }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let a = callers.call("a")
    await gate.arrived()
    a.cancel()
    await #expect(throws: CancellationError.self) { try await a.value }
    await cancelled.arrived()
    cancelled.open()
    let b = callers.call("b")
    gate.open()
    try await b.value
    try await callers.executor.drain()
    #expect(callers.log.entries == ["b 1"])
    #expect(engine.log.entries == ["ask k", "ask k", "grant k 1", "release k 1"])
  }

  /// An engine that does not hear of cancellation grants too late.
  ///
  /// Fails if: a job runs under the late grant, or it is kept.
  @Test func aLateGrantIsReleased() async throws {
    let engine = Engine { [gate] request in if request == 1 { await gate.pass() } }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let a = callers.call("a")
    await gate.arrived()
    a.cancel()
    await #expect(throws: CancellationError.self) { try await a.value }
    let b = callers.call("b")
    gate.open()
    try await b.value
    try await callers.executor.drain()
    #expect(callers.log.entries == ["b 2"])
    #expect(engine.log.entries == ["ask k", "grant k 1", "release k 1", "ask k", "grant k 2", "release k 2"])
  }

  /// Fails if: a caller that is cancelled before its call sends a request.
  @Test func cancelledBeforeTheCall() async throws {
    let engine = Engine()
    let executor = FencedSerialTaskExecutor(access: engine)
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await executor.enqueue(for: "k") { _ in }
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(engine.requests == 0 && executor.busyKeys == 0)
  }

  /// ```
  ///   a asks ── b and c wait behind it ── cancelAll: all three are rejected ── d asks again
  /// ```
  /// Fails if: the job that waits for access runs, although it was withdrawn before it began.
  @Test(arguments: [false, true]) func withdrawnWhileItWaitsForAccess(ofOneKey: Bool) async throws {
    let engine = Engine { [gate] request in if request == 1 { await gate.pass() } }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let calls = ["a", "b", "c"].map { callers.call($0) }
    await gate.arrived()
    if ofOneKey { callers.executor.cancelAll(for: "k") } else { callers.executor.cancelAll() }
    for call in calls { await #expect(throws: JobRejection.withdrawn) { try await call.value } }
    gate.open()
    try await callers.call("d").value
    #expect(callers.log.entries == ["d 2"])
  }

  /// Fails if: a job of a key that is not equal to itself is not found while it waits for access.
  @Test func withdrawnThoughItsKeyIsNotEqualToItself() async throws {
    struct Numbers: ExclusiveAccess {
      let gate: Gate

      nonisolated(nonsending) func withAccess(
        to key: Double, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
      ) async throws {
        await gate.pass()
        try await turn(Fence(number: 1) {})
      }
    }
    let executor = FencedSerialTaskExecutor(access: Numbers(gate: gate))
    let call = Task.immediate { try await executor.enqueue(for: .nan) { _ in } }
    await gate.arrived()
    executor.cancelAll()
    await #expect(throws: JobRejection.withdrawn) { try await call.value }
    gate.open()
    try await executor.drain()
    #expect(executor.busyKeys == 0)
  }

  /// ```
  ///   the job has ended ── the engine releases, and is held ── drain waits ── released ── drain returns
  /// ```
  /// Fails if: drain returns while another process would still have to wait.
  @Test(arguments: [false, true]) func drainWaitsForTheRelease(ofOneKey: Bool) async throws {
    let engine = Engine(after: { [gate] _ in await gate.pass() })
    let executor = FencedSerialTaskExecutor(access: engine)
    try await executor.enqueue(for: "k") { _ in }
    await gate.arrived()
    let drain = Task.immediate {
      if ofOneKey { try await executor.drain(for: "k") } else { try await executor.drain() }
      #expect(engine.log.entries.last == "release k 1")
    }
    gate.open()
    try await drain.value
  }

  /// Fails if: a shutdown says that all has ended by itself, although a job was withdrawn or left that waited for access.
  @Test(arguments: [false, true]) func aShutdownSaysThatAJobLeft(isCancelled: Bool) async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let a = callers.call("a")
    await gate.arrived()
    let shutDown = Task.immediate { await callers.executor.shutDown(within: .seconds(3_600)) }
    if isCancelled { a.cancel() } else { callers.executor.cancelAll() }
    await #expect(throws: (any Error).self) { try await a.value }
    gate.open()
    #expect(await shutDown.value == false)
  }

  /// ```
  ///   part 1: a job runs, is cancelled, opens access ── part 2: x waits for access
  /// ```
  /// Fails if: among several parts that are shut down, a job that waits for access begins when one before it is cancelled.
  @Test func nothingBeginsWhenAnotherPartIsCancelled() async throws {
    let (engine, line) = (SharedEngine(), SerialTaskExecutor())
    let bank = FencedSerialTaskExecutor(access: engine)
    let (elsewhere, began, cancelled) = (await engine.hold("a"), Gate(), Gate())
    let x = Task.immediate { try await bank.enqueue(for: "a") { _ in _ = Issue.record("it ran") } }
    try await engine.waits(for: 1, of: "a")
    let job = Task.immediate {
      try await line.enqueue {
        await withTaskCancellationHandler {
          await began.pass()
          await cancelled.pass()
        } onCancel: {
          elsewhere.open()
          cancelled.open()
        }
      }
    }
    await began.arrived()
    began.open()
    let parts: [any Drainable] = [line, bank]
    #expect(await !parts.shutDown(within: .zero))
    _ = await job.result
    await #expect(throws: JobRejection.withdrawn) { try await x.value }
    #expect(bank.heldKeys == 0)
  }
}
