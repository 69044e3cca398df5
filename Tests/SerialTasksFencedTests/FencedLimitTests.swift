import Testing

@testable import SerialTasks
@testable import SerialTasksFenced

/// How long a call may wait for its turn and for access, on a clock that stands still.
@Suite(.watched) struct FencedLimitTests {
  let clock = ManualClock()
  let gate = Gate()

  /// ```
  ///   0 a asks (6) ── b stands behind it (8) ── 6 a is late: b waits for the same request ── 8 b is late
  /// ```
  /// Fails if: the limit begins anew when the job has come to the front of its line. (Then the second call goes on waiting.)
  @Test func theLimitIsOnBothWaits() async throws {
    let engine = Engine { [gate] _ in try await gate.passUnlessCancelled() }
    let executor = FencedSerialTaskExecutor(access: engine, clock: clock)
    func call(_ name: String, _ limit: Int) -> Task<Void, any Error> {
      Task.immediate {
        try await executor.enqueue(for: "k", name: name, waitingAtMost: .seconds(limit)) { _ in
          _ = Issue.record("it ran")
        }
      }
    }
    let (a, b) = (call("a", 6), call("b", 8))
    await gate.arrived()
    // Both sleep: the line has one sleeper, and so has the request.
    try await clock.sleepers(2)
    clock.advance(by: .seconds(6))
    await #expect(throws: JobRejection.late) { try await a.value }
    try await until { executor.snapshot(for: "k").runningJob == "b" }
    clock.advance(by: .seconds(2))
    await #expect(throws: JobRejection.late) { try await b.value }
    try await executor.drain()
  }

  /// ```
  ///   0 a job runs ── 8 it has ended, and access is being given back ── 10 the limit has passed
  /// ```
  /// Fails if: giving access back has the whole limit again.
  @Test func theLimitOfAShutdownIsOnBothWaits() async throws {
    let (release, isToldToStop) = (Gate(), Gate())
    let engine = Engine(after: { _ in
      await withTaskCancellationHandler {
        await release.pass()
      } onCancel: {
        isToldToStop.open()
      }
    })
    let executor = FencedSerialTaskExecutor(access: engine, clock: clock)
    let job = executor.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    let shutDown = Task.immediate { await executor.shutDown(within: .seconds(10)) }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(8))
    gate.open()
    try await job.value
    try await until {
      executor.desk.requests.line.holdings().executors.contains { $0.waiting.contains { $0.name == "drain()" } }
    }
    clock.advance(by: .seconds(3))
    await isToldToStop.pass()
    release.open()
    #expect(await shutDown.value == false)
  }

  /// ```
  ///   0 the request hangs, with a caller in front and one behind it ── 10 one is late: the request is cancelled, and the one that
  ///   is left asks again
  /// ```
  /// Fails if: a request that hangs is given up only when no caller waits.
  @Test(arguments: [true, false]) func aLateCallerEndsARequestThatHangs(isInFront: Bool) async throws {
    let engine = Engine { [gate] request in if request == 1 { try await gate.passUnlessCancelled() } }
    let executor = FencedSerialTaskExecutor(access: engine, clock: clock)
    func call(_ limit: Int?) -> Task<UInt64, any Error> {
      Task.immediate {
        try await executor.enqueue(for: "k", waitingAtMost: limit.map { .seconds($0) }) { $0.number }
      }
    }
    let calls = isInFront ? [call(10), call(nil)] : [call(nil), call(10)]
    await gate.arrived()
    try await clock.sleepers(1)
    clock.advance(by: .seconds(10))
    await #expect(throws: JobRejection.late) { try await calls[isInFront ? 0 : 1].value }
    #expect(try await calls[isInFront ? 1 : 0].value == 1)
    try await executor.drain()
    #expect(engine.requests == 2 && executor.busyKeys == 0)
  }

  /// ```
  ///   0 a job runs ── a stands behind it with a limit of 10, and b with none ── 5 the job ends: a asks ── 10 a is late
  /// ```
  /// Fails if: a caller that is late gives up a request that had only a part of its limit, and so its place behind other processes.
  @Test func aYoungRequestGoesOn() async throws {
    let request = Gate()
    let engine = Engine { number in if number == 2 { try await request.passUnlessCancelled() } }
    let executor = FencedSerialTaskExecutor(access: engine, jobsPerAccess: 1, clock: clock)
    let job = executor.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    let a = Task.immediate { try await executor.enqueue(for: "k", waitingAtMost: .seconds(10)) { $0.number } }
    let b = Task.immediate { try await executor.enqueue(for: "k") { $0.number } }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    gate.open()
    try await job.value
    await request.arrived()
    try await until { clock.alarms == [.seconds(10)] }
    clock.advance(by: .seconds(5))
    await #expect(throws: JobRejection.late) { try await a.value }
    request.open()
    #expect(try await b.value == 2 && engine.requests == 2)
    try await executor.drain()
  }

  /// Fails if: a call that may not wait sends a request all the same, also one that is cancelled at once, or runs.
  @Test(arguments: [0, -1]) func noTimeAtAll(seconds: Int) async throws {
    let (engine, asked) = (Engine(), Log<String>())
    let executor = FencedSerialTaskExecutor(access: engine, clock: clock, onEvent: nil, onAccess: { asked("\($0)") })
    func call() async throws {
      try await executor.enqueue(for: "k", waitingAtMost: .seconds(seconds)) { _ in _ = Issue.record("it ran") }
    }
    await #expect(throws: JobRejection.late) { try await call() }
    #expect(engine.requests == 0 && asked.entries.isEmpty)
    let job = executor.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    await #expect(throws: JobRejection.late) { try await call() }
    gate.open()
    try await job.value
    try await executor.drain()
    #expect(engine.requests == 1 && executor.busyKeys == 0)
  }
}
