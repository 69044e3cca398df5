import SerialTasks
import SerialTasksFenced
import Testing

/// Jobs over several keys, of executors that share an engine as processes do.
@Suite(.watched) struct FencedKeySetTests {
  let gate = Gate()
  let log = Log<String>()

  private func executor(_ engine: SharedEngine, keeping: Duration = .zero) -> FencedSerialTaskExecutor<String> {
    FencedSerialTaskExecutor(access: engine, keepsAccessFor: keeping)
  }

  /// Fails if: access is asked for in the order in which the keys are named, a key is asked for twice, or a fence is another's.
  @Test func accessIsAskedForInOneOrder() async throws {
    let engine = SharedEngine()
    let bank = executor(engine)
    try await bank.enqueue(for: "b") { _ in }
    try await bank.drain()
    let numbers = try await bank.enqueue(forAll: ["c", "b", "a", "b"]) { fences in
      #expect(bank.isInJob(for: "a") && bank.isInJob(for: "c") && !bank.isInJob(for: "d"))
      return fences.mapValues(\.number)
    }
    try await bank.drain()
    #expect(numbers == ["a": 1, "b": 2, "c": 1])
    #expect(engine.log.entries.filter { $0.hasPrefix("ask") } == ["ask b", "ask a", "ask b", "ask c"])
    #expect(bank.busyKeys == 0)
  }

  /// Fails if: a job without keys waits for access.
  @Test func noKeysAtAll() async throws {
    let engine = SharedEngine()
    let fences = try await executor(engine).enqueue(forAll: [String]()) { $0.count }
    #expect(fences == 0 && engine.log.entries.isEmpty)
  }

  /// Fails if: jobs over common keys do not share a grant, when each has its turn as the one before it ends.
  @Test func jobsShareAGrant() async throws {
    let engine = SharedEngine()
    let bank = executor(engine)
    let first = Task.immediate { [gate] in try await bank.enqueue(forAll: ["a", "b"]) { _ in await gate.pass() } }
    await gate.arrived()
    let others = (1...3).map { number in
      Task.immediate { [log] in try await bank.enqueue(forAll: ["b", "a"]) { _ in log("\(number)") } }
    }
    gate.open()
    for call in [first] + others { try await call.value }
    try await bank.drain()
    #expect(log.entries == ["1", "2", "3"])
    #expect(engine.log.entries == ["ask a", "grant a 1", "ask b", "grant b 1", "release a 1", "release b 1"])
  }

  /// Fails if: a submitted job over several keys is given no fences, or the keys are not released behind it.
  @Test func submittedJobs() async throws {
    let engine = SharedEngine()
    let bank = executor(engine)
    let jobs = (1...3).map { number in
      bank.submit(forAll: ["b", "a"]) { fences in fences["a"]!.number > 0 && fences["b"]!.number > 0 ? number : 0 }
    }
    for (job, number) in zip(jobs, 1...3) { #expect(try await job.value == number) }
    try await bank.drain()
    #expect(bank.busyKeys == 0)
  }

  /// Two executors, and jobs that name their keys in opposite orders, with jobs of one key between them.
  ///
  /// Fails if: access is not asked for in one order, a key is held for a job that waits for its turn on another, or what is kept is
  /// held while a smaller key is asked for. (Then they wait for each other, and the suite hangs.)
  @Test(arguments: [Duration.zero, .seconds(3_600)]) func oppositeOrdersDoNotHang(keeping: Duration) async throws {
    let engine = keeping == .zero ? SharedEngine() : .hearing()
    let banks = [executor(engine, keeping: keeping), executor(engine, keeping: keeping)]
    let sum = Log<Int>()
    try await withThrowingTaskGroup { group in
      for (index, bank) in banks.enumerated() {
        for caller in 0..<6 {
          group.addTask {
            for round in 0..<50 {
              let keys = [["a", "b"], ["b", "a"], ["c", "a"], ["b"], ["a"], ["c", "b", "a"]][
                (caller + round + index) % 6]
              if caller == 5 {
                try await bank.submit(forAll: keys) { _ in sum(keys.count) }.value
              } else {
                try await bank.enqueue(forAll: keys) { _ in
                  await Task.yield()
                  sum(keys.count)
                }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for bank in banks { try await bank.drain() }
    #expect(sum.entries.count == 600 && banks.allSatisfy { $0.busyKeys == 0 })
  }

  /// ```
  ///   here:   y runs on b ── j{a,b} stands behind x and y ── x waits for a ── y ends: b is released, although j waits for it
  ///   there:  has a ───────────────────────────────────────────────────────────────── is granted b ── releases a: x, j run
  /// ```
  /// Fails if: access is held as long as any job of the key has come. (Then both wait for each other.)
  @Test func aKeyIsNotHeldForAJobThatWaitsForAnother() async throws {
    let engine = SharedEngine()
    let here = executor(engine)
    let elsewhere = await engine.hold("a")
    let y = Task.immediate { [gate, log] in
      try await here.enqueue(for: "b") { _ in
        await gate.pass()
        log("y")
      }
    }
    await gate.arrived()
    let x = Task.immediate { [log] in try await here.enqueue(for: "a") { _ in log("x") } }
    let j = Task.immediate { [log] in try await here.enqueue(forAll: ["b", "a"]) { _ in log("j") } }
    let z = Task.immediate { [log] in try await here.enqueue(for: "b") { _ in log("z") } }
    try await engine.waits(for: 1, of: "a")
    gate.open()
    try await y.value
    let other = await engine.hold("b")
    elsewhere.open()
    try await x.value
    other.open()
    for call in [j, z] { try await call.value }
    try await here.drain()
    #expect(log.entries == ["y", "x", "j", "z"])
  }

  /// ```
  ///   here:   b is kept ── j{a,b} asks for a: b is released ────────────────── granted a, b: j runs
  ///   there:  has a ─────────────────── is granted b ── releases a and b
  /// ```
  /// Fails if: a key that is kept is held while a smaller one is asked for.
  @Test func aKeptKeyIsReleasedBeforeASmallerOneIsAskedFor() async throws {
    let engine = SharedEngine()
    let here = executor(engine, keeping: .seconds(3_600))
    let elsewhere = await engine.hold("a")
    try await here.enqueue(for: "b") { _ in }
    let j = Task.immediate { try await here.enqueue(forAll: ["a", "b"]) { $0.mapValues(\.number) } }
    let other = await engine.hold("b")
    elsewhere.open()
    other.open()
    #expect(try await j.value == ["a": 1, "b": 2])
    here.close()
    try await here.drain()
  }

  /// Fails if: a caller that leaves while it waits for its second key keeps the first, or what stands behind it does not go on.
  @Test(arguments: ["cancelled", "withdrawn", "withdrawn at the other key"]) func aCallerLeaves(how: String)
    async throws
  {
    let engine = SharedEngine()
    let bank = executor(engine)
    let elsewhere = await engine.hold("b")
    let call = Task.immediate { try await bank.enqueue(forAll: ["a", "b"]) { _ in _ = Issue.record("it ran") } }
    let behind = Task.immediate { try await bank.enqueue(for: "a") { $0.number } }
    try await engine.waits(for: 1, of: "b")
    switch how {
    case "cancelled":
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await behind.value == 1)
    case "withdrawn":
      bank.cancelAll()
      await #expect(throws: JobRejection.withdrawn) { try await call.value }
      await #expect(throws: JobRejection.withdrawn) { try await behind.value }
    default:
      // It waits at b, and is withdrawn at a, with all that has come there.
      bank.cancelAll(for: "a")
      await #expect(throws: JobRejection.withdrawn) { try await call.value }
      await #expect(throws: JobRejection.withdrawn) { try await behind.value }
    }
    elsewhere.open()
    try await bank.drain()
    #expect(bank.busyKeys == 0)
  }

  /// Fails if: a fence that was lost while another key was asked for is given to the job.
  @Test func aFenceIsLostWhileAnotherKeyIsAskedFor() async throws {
    let engine = SharedEngine()
    let bank = executor(engine)
    let elsewhere = await engine.hold("b")
    let call = Task.immediate { try await bank.enqueue(forAll: ["a", "b"]) { _ in _ = Issue.record("it ran") } }
    try await engine.waits(for: 1, of: "b")
    engine.lose("a")
    elsewhere.open()
    await #expect(throws: AccessError.lost(number: 1, reason: "the test says so")) { try await call.value }
    #expect(try await bank.enqueue(forAll: ["a", "b"]) { $0["a"]!.number } == 2)
    try await bank.drain()
  }

  /// Fails if: the error of one key does not reach the job, or the others are kept from others.
  @Test func theEngineFailsAtTheSecondKey() async throws {
    let engine = Engine { request in if request == 2 { throw EngineError(request: request) } }
    let bank = FencedSerialTaskExecutor(access: engine)
    await #expect(throws: EngineError(request: 2)) { try await bank.enqueue(forAll: ["a", "b"]) { _ in } }
    try await bank.enqueue(forAll: ["a", "b"]) { _ in }
    try await bank.drain()
    #expect(engine.log.entries.filter { $0.hasPrefix("ask") }.count == 4 && bank.busyKeys == 0)
  }

  /// Fails if: a limit is not on the wait for all keys together.
  @Test func theLimitIsOnAllKeysTogether() async throws {
    let clock = ManualClock()
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine, clock: clock)
    let (a, b) = (await engine.hold("a"), await engine.hold("b"))
    let call = Task.immediate {
      try await bank.enqueue(forAll: ["a", "b"], waitingAtMost: .seconds(10)) { _ in _ = Issue.record("it ran") }
    }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(6))
    a.open()
    try await engine.waits(for: 1, of: "b")
    try await clock.sleepers(1)
    clock.advance(by: .seconds(4))
    await #expect(throws: JobRejection.late) { try await call.value }
    b.open()
    try await bank.drain()
  }

  /// Fails if: a job that would wait for one of its own keys does not learn that.
  @Test func aJobThatAsksForItsOwnKeys() async throws {
    let bank = executor(SharedEngine())
    try await bank.enqueue(forAll: ["a", "b"]) { _ in
      do {
        try await bank.enqueue(forAll: ["b", "c"]) { _ in }
        Issue.record("it did not throw")
      } catch JobRejection.deadlock {}
    }
    try await bank.drain()
  }
}
