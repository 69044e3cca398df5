import SerialTasks
import Testing

@testable import SerialTasksFenced

/// Access that is kept without a job, on a clock that stands still.
@Suite(.watched) struct FencedKeepingTests {
  let clock = ManualClock()
  let gate = Gate()

  private func executor(_ engine: some ExclusiveAccess<String>, jobs: Int = 100) -> FencedSerialTaskExecutor<String> {
    FencedSerialTaskExecutor(access: engine, jobsPerAccess: jobs, keepsAccessFor: .seconds(10), clock: clock)
  }

  /// Whether the executor knows that another asks for its one key.
  private func isWanted(_ bank: FencedSerialTaskExecutor<String>) -> Bool {
    bank.desk.entries.withLock { entries in
      if case .held(let held)? = entries.all.first?.state.phase { held.wanted != nil } else { false }
    }
  }

  private func ran(_ engine: Engine) -> [String] { engine.log.entries.map { String($0.prefix { $0 != " " }) } }

  /// ```
  ///   0 granted, a job runs ── 6 another ── 12 a third ── 22 released
  /// ```
  /// Fails if: each job asks, the time is not counted from the last job, or access is kept for ever.
  @Test func accessIsKeptForSoLongAfterTheLastJob() async throws {
    let engine = Engine()
    let bank = executor(engine)
    for _ in 1...3 {
      #expect(try await bank.enqueue(for: "k") { $0.number } == 1)
      clock.advance(by: .seconds(6))
    }
    #expect(bank.busyKeys == 1)
    // The sleep of the first ten seconds has ended, and found that a job has run since.
    try await until { clock.alarms == [.seconds(22)] }
    clock.advance(by: .seconds(3))
    #expect(ran(engine) == ["ask", "grant"])
    clock.advance(by: .seconds(1))
    try await until { ran(engine) == ["ask", "grant", "release"] }
    try await until { bank.busyKeys == 0 }
  }

  /// Fails if: access is kept where that was not asked for.
  @Test func accessIsNotKeptByDefault() async throws {
    let engine = Engine()
    let bank = FencedSerialTaskExecutor(access: engine, clock: clock)
    try await bank.enqueue(for: "k") { _ in }
    try await until { ran(engine) == ["ask", "grant", "release"] }
    #expect(clock.alarms.isEmpty)
  }

  /// Fails if: another that asks has to wait until the time is over.
  @Test func anotherIsHeardWhileAccessIsKept() async throws {
    let engine = SharedEngine.hearing()
    let (here, there) = (executor(engine), executor(engine))
    try await here.enqueue(for: "k") { _ in }
    #expect(try await there.enqueue(for: "k") { $0.number } == 2)
    #expect(try await here.enqueue(for: "k") { $0.number } == 3)
    for bank in [here, there] { try await bank.drain() }
  }

  /// Fails if: another that asked while a job ran is forgotten when the job ends.
  @Test func anotherIsHeardWhileAJobRuns() async throws {
    let engine = SharedEngine.hearing()
    let (here, there) = (executor(engine), executor(engine))
    let job = here.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    let other = Task.immediate { try await there.enqueue(for: "k") { $0.number } }
    try await engine.waits(for: 1, of: "k")
    gate.open()
    try await job.value
    #expect(try await other.value == 2)
    for bank in [here, there] { try await bank.drain() }
  }

  /// ```
  ///   0 another asks while the first of three jobs runs ── 9 the first ends ── 10 the second: released ── another, then the third
  /// ```
  /// Fails if: another that asked waits for all jobs that there are, or access is given back before its time.
  @Test func anotherWaitsForOneTimeAtMost() async throws {
    let engine = SharedEngine.hearing()
    let (here, there) = (executor(engine), executor(engine))
    let gates = [Gate(), Gate()]
    let jobs = gates.map { gate in
      here.submit(for: "k") { fence in
        await gate.pass()
        return fence.number
      }
    }
    let third = here.submit(for: "k") { $0.number }
    await gates[0].arrived()
    let other = Task.immediate { try await there.enqueue(for: "k") { $0.number } }
    try await until { isWanted(here) }
    for (gate, seconds) in zip(gates, [9, 1]) {
      await gate.arrived()
      clock.advance(by: .seconds(seconds))
      gate.open()
    }
    for job in jobs { #expect(try await job.value == 1) }
    #expect(try await other.value == 2)
    #expect(try await third.value == 3)
    for bank in [here, there] { try await bank.drain() }
  }

  /// Fails if: an engine that cannot say any more whether another asks keeps others from the key.
  @Test func anEngineThatCannotSay() async throws {
    let engine = SharedEngine { _, _ in throw EngineError(request: 0) }
    let (here, there) = (executor(engine), executor(engine))
    try await here.enqueue(for: "k") { _ in }
    #expect(try await there.enqueue(for: "k") { $0.number } == 2)
    for bank in [here, there] { try await bank.drain() }
  }

  /// Fails if: the engine is asked more than once for a grant whether another asks, or goes on looking when access was released.
  @Test func theEngineIsAskedOnceForAGrant() async throws {
    let (asked, left) = (Log<String>(), Log<String>())
    let engine = SharedEngine { _, key in
      asked(key)
      defer { left(key) }
      try await Gate().passUnlessCancelled()
    }
    let bank = executor(engine)
    for _ in 1...3 { try await bank.enqueue(for: "k") { _ in } }
    try await until { asked.entries == ["k"] }
    #expect(left.entries.isEmpty)
    try await bank.drain()
    #expect(asked.entries == ["k"] && left.entries == ["k"])
  }

  /// Fails if: an executor keeps a key from others for ever, because it always has a job before the time is over.
  @Test func accessIsReleasedAfterSoManyJobs() async throws {
    let engine = Engine()
    let bank = executor(engine, jobs: 2)
    for number in [1, 1, 2, 2, 3] as [UInt64] { #expect(try await bank.enqueue(for: "k") { $0.number } == number) }
    try await bank.drain()
  }

  /// Fails if: a grant that was lost while it was kept is given to a job, or that job fails.
  @Test func accessIsLostWhileItIsKept() async throws {
    let engine = SharedEngine()
    let bank = executor(engine)
    try await bank.enqueue(for: "k") { _ in }
    engine.lose("k")
    #expect(try await bank.enqueue(for: "k") { $0.number } == 2)
    try await bank.drain()
  }

  /// Fails if: a grant that no job has used fails the first job that comes when it has been lost.
  @Test func accessIsLostThatNoJobHasUsed() async throws {
    let engine = SharedEngine()
    let bank = executor(engine)
    let elsewhere = await engine.hold("b")
    // Granted a, and never b.
    let call = Task.immediate { try await bank.enqueue(forAll: ["a", "b"]) { _ in } }
    try await engine.waits(for: 1, of: "b")
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    engine.lose("a")
    #expect(try await bank.enqueue(for: "a") { $0.number } == 2)
    elsewhere.open()
    try await bank.drain()
  }

  /// Fails if: a call without time to wait asks for access, or does not use what is kept.
  @Test func aCallThatMayNotWaitUsesWhatIsKept() async throws {
    let bank = executor(Engine())
    func call() async throws { try await bank.enqueue(for: "k", waitingAtMost: .zero) { _ in } }
    await #expect(throws: JobRejection.late) { try await call() }
    try await bank.enqueue(for: "k") { _ in }
    try await call()
    try await bank.drain()
  }

  enum Ending: CaseIterable {
    case close, drain, drainKey, shutDown, shutDownNow, pause, pauseAndWait, release

    static let ofTheLiving = allCases.filter { $0 != .release }
  }

  /// Fails if: something that ends or pauses the executor leaves access behind that is kept, or a shutdown takes that for a job.
  @Test(arguments: Ending.allCases) func whatEndsAlsoReleases(_ ending: Ending) async throws {
    let engine = Engine()
    var bank: FencedSerialTaskExecutor<String>? = executor(engine)
    for key in ["k", "l"] { try await bank!.enqueue(for: key) { _ in } }
    #expect(bank!.busyKeys == 2)
    switch ending {
    case .close: bank!.close()
    case .drain: try await bank!.drain()
    case .drainKey:
      try await bank!.drain(for: "k")
      #expect(bank!.busyKeys == 1 && engine.log.entries.last == "release k 1")
      try await bank!.drain(for: "l")
    case .shutDown: #expect(await bank!.shutDown(within: .seconds(1)))
    case .shutDownNow: #expect(await bank!.shutDown(within: .zero))
    case .pause: bank!.pause()
    case .pauseAndWait: try await bank!.pauseAndWait()
    case .release: bank = nil
    }
    let isReleased = { engine.log.entries.filter { $0.hasPrefix("release") }.count == 2 }
    if [.close, .pause, .release].contains(ending) { try await until(isReleased) }
    #expect(isReleased() && (bank?.busyKeys ?? 0) == 0)
  }

  /// Fails if: access is kept by a job that ends while the executor is drained or paused, or after it was closed.
  @Test(arguments: Ending.ofTheLiving) func nothingIsKeptMeanwhile(_ ending: Ending) async throws {
    let engine = Engine()
    let bank = executor(engine)
    let job = bank.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    let end = Task.immediate {
      switch ending {
      case .close: bank.close()
      case .drain: try await bank.drain()
      case .drainKey: try await bank.drain(for: "k")
      case .shutDown: await bank.shutDown(within: .seconds(1))
      case .shutDownNow: #expect(await !bank.shutDown(within: .zero))
      case .pause: bank.pause()
      default: try await bank.pauseAndWait()
      }
    }
    gate.open()
    try await job.value
    try await end.value
    try await until { ran(engine) == ["ask", "grant", "release"] }
  }

  /// Fails if: access is not kept any more when a drain or a pause is over.
  @Test(arguments: [Ending.drain, .drainKey, .pause, .pauseAndWait])
  func accessIsKeptAgainAfterwards(_ ending: Ending) async throws {
    let engine = Engine()
    let bank = executor(engine)
    try await bank.enqueue(for: "k") { _ in }
    switch ending {
    case .drain: try await bank.drain()
    case .drainKey: try await bank.drain(for: "k")
    case .pause: bank.pause()
    default: try await bank.pauseAndWait()
    }
    bank.resume()
    for _ in 1...2 { #expect(try await bank.enqueue(for: "k") { $0.number } == 2) }
    try await bank.drain()
  }

  /// Fails if: withdrawing jobs takes away access that is kept.
  @Test func whatIsKeptSurvivesAWithdrawal() async throws {
    let engine = Engine()
    let bank = executor(engine)
    try await bank.enqueue(for: "k") { _ in }
    bank.cancelAll()
    bank.cancelAll(for: "k")
    #expect(try await bank.enqueue(for: "k") { $0.number } == 1)
    try await bank.drain()
  }
}
