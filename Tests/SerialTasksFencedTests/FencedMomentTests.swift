import Dispatch
import SerialTasks
import SerialTasksFenced
import Testing

/// What happens to a job just before it waits for access, and just after that was decided.
@Suite(.watched) struct FencedMomentTests {
  let clock = ManualClock()
  let gate = Gate()

  /// ```
  ///   a has ended, and its access is being given back ── b asks ── withdrawn, and does not wait yet ── b is rejected
  /// ```
  /// The report that the request waits is made between the two.
  ///
  /// Fails if: a job that is withdrawn before it waits for access waits for the engine.
  @Test(arguments: [false, true]) func withdrawnBeforeItWaits(ofOneKey: Bool) async throws {
    let engine = Engine(after: { [gate] request in if request == 1 { await gate.pass() } })
    let reported = Log<@Sendable () -> Void>()
    let executor = FencedSerialTaskExecutor<String>(
      access: engine, onEvent: nil,
      onAccess: { event in if case .waiting = event.kind { for act in reported.entries { act() } } })
    reported { [weak executor] in if ofOneKey { executor?.cancelAll(for: "k") } else { executor?.cancelAll() } }
    let callers = Callers(executor: executor)
    try await callers.call("a").value
    await gate.arrived()
    await #expect(throws: JobRejection.withdrawn) { try await callers.call("b").value }
    gate.open()
    try await executor.drain()
    #expect(callers.log.entries == ["a 1"] && engine.requests == 1)
  }

  /// ```
  ///   a asks ── granted, and a has not gone on ── a is late, cancelled or withdrawn ── b comes ── a goes on: b runs
  /// ```
  /// Fails if: such a job runs, is reported to have begun, or is one of those that may run under the grant.
  @Test(arguments: ["late", "cancelled", "withdrawn"]) func leavesAfterTheGrant(why: String) async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let events = Log<String>()
    let executor = FencedSerialTaskExecutor<String>(
      access: engine, jobsPerAccess: 1, clock: clock, onEvent: { if $0.job == "a" { events("\($0.kind)") } })
    let (callers, held) = (Callers(executor: executor), HeldTask())
    let a = held.start {
      try await executor.enqueue(for: "k", name: "a", waitingAtMost: .seconds(5)) { _ in _ = Issue.record("it ran") }
    }
    gate.open()
    try await held.resumed()
    let rejection: JobRejection
    switch why {
    case "late":
      clock.advance(by: .seconds(5))
      rejection = .late
    case "cancelled":
      a.cancel()
      rejection = .cancelled
    default:
      executor.cancelAll()
      rejection = .withdrawn
    }
    let b = callers.call("b")
    held.goOn()
    await #expect(throws: (any Error).self) { try await a.value }
    try await b.value
    try await executor.drain()
    #expect(events.entries == ["\(TaskEvent.Kind.rejected(rejection))"])
    #expect(callers.log.entries == ["b 1"])
    #expect(engine.log.entries == ["ask k", "grant k 1", "release k 1"])
  }

  /// ```
  ///   a has ended, and its access is being given back ── d drains, b comes ── it has been given back: b runs, and d goes on
  /// ```
  /// Fails if: drain waits for a job that came later, or not until the access has been given back that was used before.
  @Test(arguments: [false, true]) func drainDoesNotWaitForJobsThatCome(ofOneKey: Bool) async throws {
    let running = Gate()
    let engine = Engine(after: { [gate] in if $0 == 1 { await gate.pass() } })
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine, jobsPerAccess: 1))
    let (executor, log) = (callers.executor, callers.log)
    try await callers.call("a").value
    await gate.arrived()
    let drain = Task.immediate {
      if ofOneKey { try await executor.drain(for: "k") } else { try await executor.drain() }
      log("drained")
    }
    let b = Task.immediate {
      try await executor.enqueue(for: "k") { fence in
        await running.pass()
        log("b \(fence.number)")
      }
    }
    #expect(log.entries == ["a 1"])
    gate.open()
    await running.arrived()
    try await drain.value
    #expect(log.entries == ["a 1", "drained"])
    running.open()
    try await b.value
  }

  /// ```
  ///   here:   y has ended on b, and has not left ── x waits for a, and j{a,b} comes, behind it ── y leaves: b is kept ── released
  ///   there:  has a ──────────────────────────────────────────────────────────────────────────── asks for b ── is granted b
  /// ```
  /// Fails if: what comes next is asked before the moment at which a job leaves, and not again when one of several keys comes. (Then
  /// both wait for each other.)
  @Test func aJobOfSeveralKeysComesAsTheLastOneLeaves() async throws {
    let (engine, clock) = (SharedEngine.hearing(), WatchedClock())
    let here = FencedSerialTaskExecutor(access: engine, keepsAccessFor: .seconds(3_600), clock: clock)
    let elsewhere = await engine.hold("a")
    let x = Task.immediate { try await here.enqueue(for: "a") { _ in } }
    try await engine.waits(for: 1, of: "a")
    let calls = Log<Task<Void, any Error>>()
    @Sendable func look() {
      // Its turn is over when it leaves.
      if here.snapshot(for: "b").running > 0 { return clock.atNextLook(look) }
      calls(Task.immediate { try await here.enqueue(forAll: ["a", "b"]) { _ in } })
    }
    try await WatchedClock.$isWatched.withValue(true) {
      try await here.enqueue(for: "b") { _ in clock.atNextLook(look) }
    }
    #expect(calls.entries.count == 1)
    let other = await engine.hold("b")
    elsewhere.open()
    other.open()
    try await x.value
    for call in calls.entries { try await call.value }
    try await here.drain()
  }

  /// ```
  ///   a runs for k ── d drains ── b comes, and runs for another key ── a ends, and its access is given back: d goes on
  /// ```
  /// Fails if: drain waits for a job that came later, for another key.
  @Test func drainDoesNotWaitForJobsOfOtherKeysThatCome() async throws {
    let (executor, running, later) = (FencedSerialTaskExecutor(access: Engine()), Gate(), Gate())
    let a = Task.immediate { try await executor.enqueue(for: "k") { _ in await running.pass() } }
    await running.arrived()
    let drain = Task.immediate { try await executor.drain() }
    let b = Task.immediate { try await executor.enqueue(for: "other") { _ in await later.pass() } }
    await later.arrived()
    running.open()
    try await a.value
    try await drain.value
    later.open()
    try await b.value
  }
}
