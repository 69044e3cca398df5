import SerialTasks
import SerialTasksFenced
import Testing

/// Jobs over several keys, of executors that share an engine as processes do.
@Suite(.watched) struct FencedKeySetTests {
  /// Fails if: access is asked for in the order in which the keys are named, a key is asked for twice, a fence is another's, or a job
  /// without keys waits for access.
  @Test(arguments: [false, true]) func accessIsAskedForInOneOrder(isSubmitted: Bool) async throws {
    let engine = Engine()
    let bank = Bank(access: engine)
    #expect(try await bank.enqueue(forAll: [String]()) { $0.isEmpty } && engine.requests == 0)
    _ = try await bank.number("b")
    try await bank.drain()
    let job: @Sendable ([String: Fence]) -> [String: UInt64] = { fences in
      #expect(bank.isInJob(for: "a") && bank.isInJob(for: "c") && !bank.isInJob(for: "d"))
      return fences.mapValues(\.number)
    }
    let keys = ["c", "b", "a", "b"]
    let numbers =
      try await isSubmitted ? bank.submit(forAll: keys) { job($0) }.value : bank.enqueue(forAll: keys) { job($0) }
    try await bank.drain()
    #expect(numbers == ["a": 1, "b": 2, "c": 1] && bank.busyKeys == 0)
    #expect(engine.log.entries.filter { $0.hasPrefix("ask") } == ["ask b", "ask a", "ask b", "ask c"])
  }

  /// Fails if: jobs over common keys do not share a grant, when each has its turn as the one before it ends.
  @Test func jobsShareAGrant() async throws {
    let (engine, gate) = (Engine(), Gate())
    let callers = Callers(engine)
    let first = callers.call("0", for: "a", "b") { await gate.pass() }
    await gate.arrived()
    let others = (1...3).map { callers.call("\($0)", for: "b", "a") }
    gate.open()
    for call in [first] + others { try await call.value }
    try await callers.bank.drain()
    #expect(callers.log.entries == (0...3).map { "\($0) 1 1" })
    #expect(engine.log.entries == ["ask a", "grant a 1", "ask b", "grant b 1", "release a 1", "release b 1"])
  }

  /// Two executors on real threads, with jobs that name their keys in opposite orders and jobs of one key between them; one of them may
  /// be paused and resumed meanwhile.
  ///
  /// Fails if: access is not asked for in one order, a key is held for a job that waits for its turn on another, what is kept is held
  /// while a smaller key is asked for, or a caller is forgotten. (Then it hangs.) Or a job runs or access is held although a pause says
  /// that there is none.
  @Test(arguments: [(0, false), (3_600_000, false), (1, true)]) func oppositeOrdersDoNotHang(
    milliseconds: Int, isPaused: Bool
  ) async throws {
    let engine = milliseconds == 0 ? Engine() : .hearing()
    let banks = (1...2).map { _ in Bank(access: engine, keepsAccessFor: .milliseconds(milliseconds)) }
    let sum = Log<Int>()
    try await withThrowingTaskGroup { group in
      for (index, bank) in banks.enumerated() {
        for caller in 0..<6 {
          group.addTask {
            for round in 0..<50 {
              let sets = [["a", "b"], ["b", "a"], ["c", "a"], ["b"], ["a"], ["c", "b", "a"]]
              let keys = sets[(caller + round + index) % sets.count]
              let job: @Sendable ([String: Fence]) async -> Void = { fences in
                await Task.yield()
                sum(fences.count)
              }
              try await caller == 5
                ? bank.submit(forAll: keys, job).value : bank.enqueue(forAll: keys) { await job($0) }
            }
          }
        }
      }
      if isPaused { group.addTask { try await pauseAndResume(banks[0], sum) } }
      try await group.waitForAll()
    }
    for bank in banks { try await bank.drain() }
    #expect(sum.entries.count == 600 && banks.allSatisfy { $0.busyKeys == 0 })
  }

  private func pauseAndResume(_ bank: Bank, _ sum: Log<Int>) async throws {
    for round in 0..<60 {
      do {
        try await bank.pauseAndWait()
        let held = bank.heldKeys
        for _ in 0..<20 { await Task.yield() }
        #expect(held == 0 && bank.heldKeys == 0, "after \(sum.entries.count)")
      } catch JobRejection.withdrawn {}
      if round % 3 == 0 {
        let second = Task.immediate { try await bank.pauseAndWait() }
        bank.resume()
        _ = await second.result
      }
      bank.resume()
    }
  }

  /// ```
  ///   here:   y runs on b ── j{a,b} stands behind x and y ── x waits for a ── y ends: b is released, although j waits for it
  ///   there:  has a ───────────────────────────────────────────────────────────────── is granted b ── releases a: x, j run
  /// ```
  /// Fails if: access is held as long as any job of the key has come. (Then both wait for each other.)
  @Test func aKeyIsNotHeldForAJobThatWaitsForAnother() async throws {
    let (engine, gate) = (Engine(), Gate())
    let (callers, elsewhere) = (Callers(engine), await engine.hold("a"))
    let y = await callers.hold("y", for: "b", at: gate)
    let x = callers.call("x", for: "a")
    let behind = [callers.call("j", for: "b", "a"), callers.call("z", for: "b")]
    try await engine.waits(of: "a")
    gate.open()
    try await y.value
    let other = await engine.hold("b")
    elsewhere.open()
    try await x.value
    other.open()
    for call in behind { try await call.value }
    try await callers.bank.drain()
    #expect(callers.log.entries == ["y 1", "x 1", "j 1 2", "z 2"])
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
    await gate.arrived()
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
    try await clock.sleepers(1)
    clock.advance(by: .seconds(6))
    a.open()
    try await engine.waits(of: "b")
    try await clock.sleepers(1)
    clock.advance(by: .seconds(4))
    await #expect(throws: JobRejection.late) { try await call.value }
    b.open()
    try await callers.bank.drain()
    #expect(callers.log.entries.isEmpty)
  }

  /// ```
  ///   here:   y has ended on b, and has not left ── x waits for a, and j{a,b} comes, behind it ── y leaves: b is kept ── released
  ///   there:  has a ──────────────────────────────────────────────────────────────────────────── asks for b ── is granted b
  /// ```
  /// Fails if: what comes next is asked before the moment at which a job leaves, and not again when one of several keys comes. (Then
  /// both wait for each other.)
  @Test func aJobOfSeveralKeysComesAsTheLastOneLeaves() async throws {
    let (engine, clock) = (Engine.hearing(), WatchedClock())
    let callers = Callers(Bank(access: engine, keepsAccessFor: .seconds(3_600), clock: clock))
    let elsewhere = await engine.hold("a")
    let x = callers.call("x", for: "a")
    try await engine.waits(of: "a")
    let calls = Log<Task<Void, any Error>>()
    try await callers.call("y", for: "b") {
      clock.onLook { [weak bank = callers.bank] in
        // Its turn is over when it leaves.
        guard let bank, bank.snapshot(for: "b").running == 0 else { return false }
        calls(callers.call("j", for: "a", "b"))
        return true
      }
    }.value
    #expect(calls.entries.count == 1)
    let other = await engine.hold("b")
    elsewhere.open()
    other.open()
    for call in [x] + calls.entries { try await call.value }
    try await callers.bank.drain()
    #expect(callers.log.entries == ["y 1", "x 1", "j 1 2"])
  }
}

/// The system's clock, with something that happens when it is looked at, on that thread, as another would in between.
private final class WatchedClock: Clock {
  private let look = Lock<(@Sendable () -> Bool)?>(nil)

  /// What happens at the next looks, until it returns `true`.
  func onLook(_ body: @escaping @Sendable () -> Bool) { look.withLock { $0 = body } }

  var minimumResolution: Duration { ContinuousClock().minimumResolution }

  var now: ContinuousClock.Instant {
    if let body = look.withLock({ $0.take() }), !body() { onLook(body) }
    return .now
  }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }
}
