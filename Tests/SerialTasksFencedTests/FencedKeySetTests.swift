import SerialTasksFenced
import Testing

/// Jobs over several keys, of executors that share an engine as processes do.
@Suite(.watched) struct FencedKeySetTests {
  /// Fails if: access is asked for in the order in which the keys are named, a key is asked for twice, a fence is another's, or a job
  /// without keys waits for access.
  @Test(arguments: [false, true]) func accessIsAskedForInOneOrder(isSubmitted: Bool) async throws {
    let engine = Engine()
    let bank = Bank(access: engine)
    #expect(try await bank.enqueue(touching: [String]()) { $0.isEmpty } && engine.requests == 0)
    _ = try await bank.number("b")
    try await bank.drain()
    let job: @Sendable ([String: Fence]) -> [String: UInt64] = { fences in
      #expect(bank.isInJob(for: "a") && bank.isInJob(for: "c") && !bank.isInJob(for: "d"))
      return fences.mapValues(\.number)
    }
    let keys = ["c", "b", "a", "b"]
    let numbers =
      try await isSubmitted ? bank.submit(touching: keys) { job($0) }.value : bank.enqueue(touching: keys) { job($0) }
    try await bank.drain()
    #expect(numbers == ["a": 1, "b": 2, "c": 1] && bank.busyKeys == 0)
    #expect(engine.log.entries.filter { $0.hasPrefix("ask") } == ["ask b", "ask a", "ask b", "ask c"])
  }

  /// Fails if: jobs over common keys do not share a grant, when each has its turn as the one before it ends.
  @Test func jobsShareAGrant() async throws {
    let (engine, gate) = (Engine(), Gate())
    let callers = Callers(engine)
    let first = callers.call("0", for: "a", "b") { await gate.pass() }
    await gate.waitForArrivals()
    let others = (1...3).map { callers.call("\($0)", for: "b", "a") }
    gate.open()
    for call in [first] + others { try await call.value }
    try await callers.bank.drain()
    #expect(callers.log.entries == (0...3).map { "\($0) 1 1" })
    #expect(engine.log.entries.prefix(4) == ["ask a", "grant a 1", "ask b", "grant b 1"] && engine.requests == 2)
  }

  /// ```
  ///   here:   b is kept ── j{a,b} asks for a: b is released ────────────────── granted a, b: j runs
  ///   there:  has a ─────────────────── is granted b ── releases a and b
  /// ```
  /// Fails if: a key that is kept is held while a smaller one is asked for.
  @Test func aKeptKeyIsReleasedBeforeASmallerOneIsAskedFor() async throws {
    let engine = Engine()
    let callers = Callers(Bank(access: engine, keepsAccessFor: .seconds(3_600)))
    let elsewhere = await engine.hold("a")
    try await callers.call("b", for: "b").value
    let j = callers.call("j", for: "a", "b")
    let other = await engine.hold("b")
    elsewhere.open()
    other.open()
    try await j.value
    #expect(callers.log.entries == ["b 1", "j 1 2"])
    callers.bank.close()
    try await callers.bank.drain()
  }

  /// Fails if: a fence that was lost while another key was asked for is given to the job, the error of one key does not reach the job,
  /// or the others are kept from others.
  @Test(arguments: [false, true]) func anotherKeyIsLostOrCannotBeHad(isLost: Bool) async throws {
    let gate = Gate()
    let engine = Engine(before: { request in
      if request != 2 { return }
      await gate.pass()
      if !isLost { throw EngineError(request: 2) }
    })
    let callers = Callers(engine)
    let call = callers.call("j", for: "a", "b")
    await gate.waitForArrivals()
    if isLost { engine.lose("a 1") }
    gate.open()
    let error = await #expect(throws: (any Error).self) { try await call.value }
    #expect(error is AccessError == isLost && error is EngineError == !isLost)
    try await callers.call("j", for: "a", "b").value
    try await callers.bank.drain()
    #expect(callers.log.entries == [isLost ? "j 2 2" : "j 2 1"] && callers.bank.busyKeys == 0)
  }

  /// Fails if: a limit is not on the wait for all keys together.
  @Test func theLimitIsOnAllKeysTogether() async throws {
    let (clock, engine) = (ManualClock(), Engine())
    let callers = Callers(Bank(access: engine, clock: clock))
    let (a, b) = (await engine.hold("a"), await engine.hold("b"))
    let call = callers.call("j", for: "a", "b", within: .seconds(10))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(6))
    a.open()
    try await engine.waitUntil(waiting: 1, for: "b")
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(4))
    await #expect(throws: JobRejection.late) { try await call.value }
    b.open()
    try await callers.bank.drain()
    #expect(callers.log.entries.isEmpty)
  }
}
