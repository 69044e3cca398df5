import Testing

@testable import SerialTasks
@testable import SerialTasksFenced

/// How long a call may wait for its turn and for access, on a clock that stands still, and how many may.
@Suite(.watched) struct FencedLimitTests {
  let clock = ManualClock()
  let gate = Gate()

  private func callers(_ engine: Engine, jobsPerAccess: Int = 100) -> Callers {
    Callers(Bank(access: engine, jobsPerAccess: jobsPerAccess, clock: clock))
  }

  /// ```
  ///   0 a asks (6) ── b stands behind it (8) ── 6 a is late: b waits for the same request ── 8 b is late
  /// ```
  /// Fails if: the limit begins anew when the job has come to the front of its line. (Then the second call goes on waiting.)
  @Test func theLimitIsOnBothWaits() async throws {
    let callers = callers(Engine(before: { [gate] _ in try await gate.passUnlessCancelled() }))
    let (a, b) = (callers.call("a", within: .seconds(6)), callers.call("b", within: .seconds(8)))
    await gate.waitForArrivals()
    // Both sleep: the line has one sleeper, and so has the request.
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(6))
    await #expect(throws: JobRejection.late) { try await a.value }
    try await until { callers.bank.snapshot(for: "k").runningJob == "b" }
    clock.advance(by: .seconds(2))
    await #expect(throws: JobRejection.late) { try await b.value }
    try await callers.bank.drain()
    #expect(callers.log.entries.isEmpty)
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
    let callers = callers(engine)
    let job = await callers.hold("a", at: gate)
    let shutDown = Task.immediate { await callers.bank.shutDown(within: .seconds(10)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(8))
    gate.open()
    try await job.value
    let requests = callers.bank.desk.requests.line
    try await until { requests.holdings().executors.contains { $0.waiting.contains { $0.name == "drain()" } } }
    clock.advance(by: .seconds(3))
    await isToldToStop.pass()
    release.open()
    #expect(await !shutDown.value)
  }

  /// ```
  ///   0 the request hangs, with a caller in front and one behind it ── 10 one is late: the request is cancelled, and the one that
  ///   is left asks again
  /// ```
  /// Fails if: a request that hangs is given up only when no caller waits.
  @Test(arguments: [true, false]) func aLateCallerEndsARequestThatHangs(isInFront: Bool) async throws {
    let engine = Engine(before: { [gate] request in if request == 1 { try await gate.passUnlessCancelled() } })
    let callers = callers(engine)
    let limits: [Duration?] = isInFront ? [.seconds(10), nil] : [nil, .seconds(10)]
    let calls = limits.map { callers.call("a", within: $0) }
    await gate.waitForArrivals()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    await #expect(throws: JobRejection.late) { try await calls[isInFront ? 0 : 1].value }
    try await calls[isInFront ? 1 : 0].value
    try await callers.bank.drain()
    #expect(callers.log.entries == ["a 1"] && engine.requests == 2 && callers.bank.busyKeys == 0)
  }

  /// ```
  ///   0 a job runs ── a stands behind it with a limit of 10, and b with none ── 5 the job ends: a asks ── 10 a is late
  /// ```
  /// Fails if: a caller that is late gives up a request that had only a part of its limit, and so its place behind other processes.
  @Test func aYoungRequestGoesOn() async throws {
    let request = Gate()
    let engine = Engine(before: { if $0 == 2 { try await request.passUnlessCancelled() } })
    let callers = callers(engine, jobsPerAccess: 1)
    let job = await callers.hold("job", at: gate)
    let (a, b) = (callers.call("a", within: .seconds(10)), callers.call("b"))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    gate.open()
    try await job.value
    await request.waitForArrivals()
    try await until { clock.alarms == [.seconds(10)] }
    clock.advance(by: .seconds(5))
    await #expect(throws: JobRejection.late) { try await a.value }
    request.open()
    try await b.value
    try await callers.bank.drain()
    #expect(callers.log.entries == ["job 1", "b 2"] && engine.requests == 2)
  }

  /// Fails if: a call that may not wait sends a request all the same, also one that is cancelled at once, runs, or does not use access
  /// that is kept.
  @Test(arguments: [0, -1]) func noTimeAtAll(seconds: Int) async throws {
    let (engine, asked) = (Engine(), Log<String>())
    let callers = Callers(
      Bank(access: engine, keepsAccessFor: .seconds(9), clock: clock, onEvent: nil, onAccess: { asked("\($0)") }))
    func call() -> Task<Void, any Error> { callers.call("now", within: .seconds(seconds)) }
    await #expect(throws: JobRejection.late) { try await call().value }
    #expect(asked.entries.isEmpty)
    let job = await callers.hold("a", at: gate)
    await #expect(throws: JobRejection.late) { try await call().value }
    gate.open()
    try await job.value
    // Without time, only what need not wait for its turn runs.
    if seconds == 0 { try await call().value }
    try await callers.bank.drain()
    #expect(callers.log.entries == (seconds == 0 ? ["a 1", "now 1"] : ["a 1"]))
    #expect(engine.requests == 1 && callers.bank.busyKeys == 0)
  }

  // MARK: - Capacity

  /// Each of two keys waits for access.
  ///
  /// Fails if: one that is rejected asks all the same, stays in the way of others, or is reported as begun; or keys share a request.
  @Test func whatIsRejectedAsksForNothing() async throws {
    let (engine, log) = (Engine(before: { [gate] _ in await gate.pass() }), Log<String>())
    let bank = Bank(access: engine, capacity: 2, onEvent: { if $0.keys == ["c"] { log($0.words) } })
    let callers = Callers(bank)
    let accepted = ["a", "b"].map { callers.call($0, for: $0) }
    try await until { engine.requests == 2 }
    let submitted = bank.submit(for: "c", name: "d") { _ in _ = Issue.record("it ran") }
    await #expect(throws: JobRejection.full(capacity: 2)) { try await submitted.value }
    for keys in [["c"], ["c", "e"]] {
      await #expect(throws: JobRejection.full(capacity: 2)) {
        try await bank.enqueue(touching: keys, name: "e") { _ in }
      }
    }
    await #expect(throws: JobRejection.late) { try await callers.call("f", for: "c", within: .zero).value }
    #expect(engine.requests == 2 && bank.busyKeys == 2)
    gate.open()
    for job in accepted { try await job.value }
    try await callers.call("c", for: "c").value
    try await bank.drain()
    #expect(log.entries == ["d rejected 0 -", "e rejected 0 -", "f late 0 -", "c began 0 -", "c finished 0 0"])
  }

  /// ```
  ///   a runs, b stands behind it ── a has ended, b has its turn and the main actor is busy ── c asks, and there is no room ── b asks
  /// ```
  /// Fails if: a job that has waited in the line is rejected when it asks for access.
  @Test @MainActor func aJobThatHasWaitedIsNotRejected() async throws {
    let (engine, hold) = (Engine(before: { [gate] in if $0 > 1 { await gate.pass() } }), Gate())
    let bank = Bank(access: engine, jobsPerAccess: 1, capacity: 1)
    let a = Task.detached { try await bank.enqueue(for: "k") { _ in await hold.pass() } }
    await hold.waitForArrivals()
    let b = Task.immediate { try await bank.enqueue(for: "k") { _ in } }
    hold.open()
    // No suspension until then, so that b cannot go on.
    while bank.snapshot.waiting > 0 {}
    let c = Task.immediate { try await bank.enqueue(for: "x") { _ in } }
    try await until { engine.requests == 3 }
    gate.open()
    for job in [a, b, c] { try await job.value }
  }

  /// Fails if: a job is rejected that need not wait.
  @Test func accessThatIsKeptNeedsNoRoom() async throws {
    let engine = Engine(before: { [gate] in if $0 > 1 { await gate.pass() } })
    let callers = Callers(Bank(access: engine, keepsAccessFor: .seconds(9), capacity: 1, clock: clock))
    try await callers.call("a").value
    let b = callers.call("b", for: "x")
    try await callers.call("c").value
    await #expect(throws: JobRejection.full(capacity: 1)) { try await callers.call("d", for: "y").value }
    gate.open()
    try await b.value
    #expect(callers.log.entries == ["a 1", "c 1", "b 1"])
    callers.bank.close()
  }
}
