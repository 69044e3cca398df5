import SerialTasks
import Testing

@testable import SerialTasksFenced

/// Access that is kept without a job, on a clock that stands still.
@Suite(.watched) struct FencedKeepingTests {
  let clock = ManualClock()
  let gate = Gate()

  private func bank(_ engine: some ExclusiveAccess<String>, jobs: Int = 100) -> Bank {
    Bank(access: engine, jobsPerAccess: jobs, keepsAccessFor: .seconds(10), clock: clock)
  }

  /// Whether the executor knows that another asks for its one key.
  private func isWanted(_ bank: Bank) -> Bool {
    bank.desk.entries.withLock { entries in
      if case .held(let held)? = entries.all.first?.state.phase { held.wanted != nil } else { false }
    }
  }

  /// ```
  ///   0 granted, a job runs ── 6 another ── 12 a third ── 22 released
  /// ```
  /// Fails if: each job asks, the time is not counted from the last job, or access is kept for ever.
  @Test func accessIsKeptForSoLongAfterTheLastJob() async throws {
    let engine = Engine()
    let bank = bank(engine)
    for _ in 1...3 {
      #expect(try await bank.number() == 1)
      clock.advance(by: .seconds(6))
    }
    #expect(bank.busyKeys == 1)
    // The sleep of the first ten seconds has ended, and found that a job has run since.
    try await until { clock.alarms == [.seconds(22)] }
    clock.advance(by: .seconds(3))
    #expect(engine.log.entries == ["ask k", "grant k 1"])
    clock.advance(by: .seconds(1))
    try await until { engine.log.entries.last == "release k 1" && bank.busyKeys == 0 }
  }

  enum Asking: CaseIterable { case whileItIsKept, whileAJobRuns, unsaid }

  /// Fails if: another that asks has to wait until the time is over, is forgotten when the job ends that ran then, or when the engine
  /// cannot say any more whether one asks.
  @Test(arguments: Asking.allCases) func anotherIsHeard(_ asking: Asking) async throws {
    let engine = asking == .unsaid ? Engine(hears: { _, _ in throw EngineError(request: 0) }) : .hearing()
    let (here, there) = (bank(engine), bank(engine))
    let job = here.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.waitForArrivals()
    if asking != .whileAJobRuns {
      gate.open()
      try await job.value
    }
    let other = Task.immediate { try await there.number() }
    if asking == .whileAJobRuns { try await engine.waitUntil(waiting: 1) }
    gate.open()
    #expect(try await other.value == 2)
    #expect(try await here.number() == 3)
    for bank in [here, there] { try await bank.drain() }
  }

  /// ```
  ///   0 another asks while the first of three jobs runs ── 9 the first ends ── 10 the second: released ── another, then the third
  /// ```
  /// Fails if: another that asked waits for all jobs that there are, or access is given back before its time.
  @Test func anotherWaitsForOneTimeAtMost() async throws {
    let engine = Engine.hearing()
    let (callers, there) = (Callers(bank(engine)), bank(engine))
    let gates = [Gate(), Gate()]
    let jobs = gates.map { gate in
      callers.bank.submit(for: "k") { fence in
        await gate.pass()
        return fence.number
      }
    }
    let third = callers.call("third")
    await gates[0].waitForArrivals()
    let other = Task.immediate { try await there.number() }
    try await until { isWanted(callers.bank) }
    for (gate, seconds) in zip(gates, [9, 1]) {
      await gate.waitForArrivals()
      clock.advance(by: .seconds(seconds))
      gate.open()
    }
    for job in jobs { #expect(try await job.value == 1) }
    try await third.value
    #expect(try await other.value == 2)
    #expect(callers.log.entries == ["third 3"])
    for bank in [callers.bank, there] { try await bank.drain() }
  }

  /// Fails if: the engine is asked more than once for a grant whether another asks, or goes on looking when access was released.
  @Test func theEngineIsAskedOnceForAGrant() async throws {
    let (asked, left) = (Log<String>(), Log<String>())
    let engine = Engine(hears: { _, key in
      asked(key)
      defer { left(key) }
      try await Gate().passUnlessCancelled()
    })
    let bank = bank(engine)
    for _ in 1...3 { _ = try await bank.number() }
    try await until { asked.entries == ["k"] }
    #expect(left.entries.isEmpty)
    try await bank.drain()
    #expect(asked.entries == ["k"] && left.entries == ["k"])
  }

  /// Fails if: an engine that does not say whether another asks passes for one that says so.
  @Test func anEngineThatHearsNothing() async {
    struct Deaf: ExclusiveAccess {
      nonisolated(nonsending) func withAccess(
        to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
      ) async throws {}
    }
    let log = Log<String>()
    let listening = Task.immediate {
      try? await Deaf().waitUntilAnotherAsks(for: "k", under: Fence(number: 1) {})
      log("went on")
    }
    #expect(log.entries.isEmpty)
    listening.cancel()
    await listening.value
  }

  /// Fails if: a grant that was lost while it was kept is given to a job, or that job fails; also if no job has used it.
  @Test func accessIsLostWhileItIsKept() async throws {
    let engine = Engine()
    let (callers, elsewhere) = (Callers(bank(engine)), await engine.hold("b"))
    _ = try await callers.bank.number("k")
    // Granted a, and never b.
    let call = callers.call("ab", for: "a", "b")
    try await engine.waitUntil(waiting: 1, for: "b")
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    for key in ["k", "a"] {
      engine.lose("\(key) 1")
      #expect(try await callers.bank.number(key) == 2)
    }
    elsewhere.open()
    try await callers.bank.drain()
  }

  /// What ends or pauses an executor.
  enum Ending: CaseIterable {
    case close, drain, drainKey, shutDown, shutDownNow, pause, pauseAndWait

    /// - Returns: Whether all that ran has ended in time, if it says so.
    @discardableResult
    func end(_ bank: Bank) async throws -> Bool? {
      switch self {
      case .close: bank.close()
      case .drain: try await bank.drain()
      case .drainKey: try await bank.drain(for: "k")
      case .shutDown: return await bank.shutDown(within: .seconds(1))
      case .shutDownNow: return await bank.shutDown(within: .zero)
      case .pause: bank.pause()
      case .pauseAndWait: try await bank.pauseAndWait()
      }
      return nil
    }
  }

  /// Fails if: something that ends or pauses the executor leaves access behind that is kept, takes that for a job, or keeps what a job
  /// meanwhile uses; or access is not kept any more afterwards.
  @Test(arguments: Ending.allCases, [false, true]) func whatEndsAlsoReleases(_ ending: Ending, jobRuns: Bool)
    async throws
  {
    let engine = Engine()
    let bank = bank(engine)
    for key in ["k", "l"] { _ = try await bank.number(key) }
    let job = jobRuns ? bank.submit(for: "k") { [gate] _ in await gate.pass() } : nil
    if jobRuns { await gate.waitForArrivals() }
    let end = Task.immediate { try await ending.end(bank) }
    gate.open()
    try await job?.value
    if let isInTime = try await end.value { #expect(isInTime == !(jobRuns && ending == .shutDownNow)) }
    try await until { engine.log.entries.contains("release k 1") }
    if ending == .drainKey {
      #expect(bank.busyKeys == 1 && !engine.log.entries.contains("release l 1"))
      try await bank.drain(for: "l")
    }
    try await until { engine.log.entries.contains("release l 1") && bank.busyKeys == 0 }
    if [.close, .shutDown, .shutDownNow].contains(ending) { return }
    bank.resume()
    for _ in 1...2 { #expect(try await bank.number() == 2) }
    try await bank.drain()
  }

  /// Fails if: access is kept although the executor is released.
  @Test func nothingIsKeptWithoutTheExecutor() async throws {
    let engine = Engine()
    _ = try await bank(engine).number()
    try await until { engine.log.entries.last == "release k 1" }
  }

  /// Fails if: withdrawing jobs takes away access that is kept.
  @Test func whatIsKeptSurvivesAWithdrawal() async throws {
    let bank = bank(Engine())
    _ = try await bank.number()
    bank.cancelAll()
    bank.cancelAll(for: "k")
    #expect(try await bank.number() == 1)
    try await bank.drain()
  }
}
