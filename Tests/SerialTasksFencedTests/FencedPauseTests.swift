import SerialTasks
import SerialTasksFenced
import Testing

/// Pauses: what ends first, what waits, and that no access is held or asked for meanwhile.
@Suite(.watched) struct FencedPauseTests {
  let gate = Gate()
  let log = Log<String>()

  /// Fails if: a pause does not wait for the job that runs and for its access, or lets the next one begin.
  @Test func aPauseWaitsForTheJobAndItsAccess() async throws {
    let release = Gate()
    let engine = Engine(after: { request in if request == 1 { await release.pass() } })
    let bank = FencedSerialTaskExecutor(access: engine)
    let callers = Callers(executor: bank)
    let first = callers.call("a") { [gate] _ in await gate.pass() }
    await gate.arrived()
    let second = callers.call("b")
    let paused = Task.immediate { [log] in
      try await bank.pauseAndWait()
      log("paused after \(engine.log.entries.last!)")
    }
    gate.open()
    try await first.value
    await release.arrived()
    #expect(log.entries.isEmpty)
    release.open()
    try await paused.value
    #expect(log.entries == ["paused after release k 1"] && callers.log.entries == ["a 1"])
    bank.resume()
    try await second.value
    #expect(callers.log.entries == ["a 1", "b 2"])
    try await bank.drain()
  }

  /// ```
  ///   another has the key ── a asks, b stands behind it ── paused: the request is cancelled ── the key is free ── resumed: asked
  ///   again, a, b
  /// ```
  /// Fails if: a pause waits for access that another process has, a request is left behind, or the order changes.
  @Test func whatWaitsForAccessIsHeldBack() async throws {
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine)
    let callers = Callers(executor: bank)
    let elsewhere = await engine.hold("k")
    let calls = ["a", "b"].map { callers.call($0) }
    try await engine.waits(for: 1, of: "k")
    try await bank.pauseAndWait()
    let late = callers.call("c")
    elsewhere.open()
    // Nothing of this process stands at the engine.
    _ = await engine.hold("k").open()
    #expect(callers.log.entries.isEmpty && engine.log.entries == ["ask k"])
    bank.resume()
    for call in calls + [late] { try await call.value }
    #expect(callers.log.entries == ["a 1", "b 1", "c 1"])
    try await bank.drain()
  }

  /// Fails if: a grant that comes as the executor is paused is used, or kept until the pause is over.
  @Test func aGrantThatComesTooLateIsReleased() async throws {
    // Deaf: it grants although the request was cancelled.
    let engine = Engine { [gate] request in if request == 1 { await gate.pass() } }
    let bank = FencedSerialTaskExecutor(access: engine, keepsAccessFor: .seconds(3_600))
    let callers = Callers(executor: bank)
    let call = callers.call("a")
    await gate.arrived()
    let paused = Task.immediate { try await bank.pauseAndWait() }
    gate.open()
    try await paused.value
    #expect(engine.log.entries == ["ask k", "grant k 1", "release k 1"] && callers.log.entries.isEmpty)
    bank.resume()
    try await call.value
    #expect(callers.log.entries == ["a 2"])
    try await bank.drain()
  }

  /// Fails if: a job over several keys holds those that it has while it is held back.
  @Test func aJobOverSeveralKeysIsHeldBack() async throws {
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine)
    let elsewhere = await engine.hold("b")
    let call = Task.immediate { try await bank.enqueue(forAll: ["a", "b"]) { $0.mapValues(\.number) } }
    try await engine.waits(for: 1, of: "b")
    try await bank.pauseAndWait()
    #expect(engine.log.entries == ["ask a", "grant a 1", "ask b", "release a 1"])
    elsewhere.open()
    bank.resume()
    #expect(try await call.value == ["a": 2, "b": 1])
    try await bank.drain()
  }

  /// Fails if: a caller that is held back does not leave.
  @Test(arguments: ["cancelled", "withdrawn", "late", "shut down"]) func whatIsHeldBackLeaves(how: String) async throws
  {
    let clock = ManualClock()
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine, clock: clock)
    let elsewhere = await engine.hold("k")
    let call = Task.immediate {
      try await bank.enqueue(for: "k", waitingAtMost: how == "late" ? .seconds(5) : nil) { _ in
        _ = Issue.record("it ran")
      }
    }
    try await engine.waits(for: 1, of: "k")
    try await bank.pauseAndWait()
    switch how {
    case "cancelled":
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    case "withdrawn":
      bank.cancelAll()
      await #expect(throws: JobRejection.withdrawn) { try await call.value }
    case "late":
      try await clock.sleepers(1)
      clock.advance(by: .seconds(5))
      await #expect(throws: JobRejection.late) { try await call.value }
    default:
      #expect(await bank.shutDown(within: .zero) == false)
      await #expect(throws: JobRejection.withdrawn) { try await call.value }
    }
    elsewhere.open()
    bank.resume()
    try await bank.drain()
    #expect(bank.busyKeys == 0 && engine.log.entries == ["ask k"])
  }

  /// Fails if: a job that runs waits in a pause for what it asks for in its turn. (Then the suite hangs.)
  @Test func whatARunningJobAsksForStillBegins() async throws {
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine)
    let elsewhere = await engine.hold("l")
    let job = Task.immediate { [gate] in
      try await bank.enqueue(for: "k") { _ in
        let inner = Task.immediate { await gate.pass() }
        // It waits for access already when the pause begins.
        try await bank.enqueue(for: "l") { _ in await inner.value }
        try await bank.enqueue(for: "m") { _ in }
      }
    }
    try await engine.waits(for: 1, of: "l")
    let paused = Task.immediate { try await bank.pauseAndWait() }
    elsewhere.open()
    gate.open()
    try await job.value
    try await paused.value
    bank.resume()
    try await bank.drain()
  }

  /// Fails if: a pause holds back a job that waits for access, and that a running job awaits. (Then the suite hangs.)
  @Test func whatARunningJobAwaitsStillBegins() async throws {
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine)
    let elsewhere = await engine.hold("l")
    let job = Task.immediate { [gate] in
      try await bank.enqueue(for: "k") { _ in
        let inner = bank.submit(for: "l") { _ in }
        await gate.pass()
        try await inner.value
      }
    }
    try await engine.waits(for: 1, of: "l")
    let paused = Task.immediate { try await bank.pauseAndWait() }
    gate.open()
    elsewhere.open()
    try await job.value
    try await paused.value
    bank.resume()
    try await bank.drain()
  }

  /// Fails if: a job that waits for access begins in a pause though no job that runs waits for it.
  @Test func whatNoRunningJobWaitsForIsHeldBack() async throws {
    let engine = SharedEngine()
    let bank = FencedSerialTaskExecutor(access: engine)
    let elsewhere = await engine.hold("l")
    let job = Task.immediate { [gate] in try await bank.enqueue(for: "k") { _ in await gate.pass() } }
    await gate.arrived()
    let other = Task.immediate { [log] in try await bank.enqueue(for: "l") { _ in log("other") } }
    try await engine.waits(for: 1, of: "l")
    let paused = Task.immediate { try await bank.pauseAndWait() }
    elsewhere.open()
    _ = await engine.hold("l").open()
    gate.open()
    try await job.value
    try await paused.value
    #expect(log.entries.isEmpty)
    bank.resume()
    try await other.value
    try await bank.drain()
  }

  /// Fails if: a pause waits for a job that had its turn when it began, and comes to wait for access after that. (Then the suite hangs.)
  @Test func whatComesToWaitForAccessInThePause() async throws {
    let (engine, held) = (SharedEngine(), HeldTask())
    let bank = FencedSerialTaskExecutor(access: engine)
    let elsewhere = await engine.hold("l")
    let first = Task.immediate { [gate] in try await bank.enqueue(for: "k") { _ in await gate.pass() } }
    await gate.arrived()
    let second = held.start { try await bank.enqueue(forAll: ["k", "l"]) { _ in } }
    gate.open()
    try await first.value
    try await held.resumed()
    let paused = Task.immediate { try await bank.pauseAndWait() }
    held.goOn()
    try await paused.value
    bank.resume()
    elsewhere.open()
    try await second.value
    try await bank.drain()
  }

  /// Fails if: a pause that ends too early says that it has kept its promise, before the job has ended or before access is back.
  @Test(arguments: ["the job", "the access"]) func aPauseThatEndsTooEarly(before what: String) async throws {
    let release = Gate()
    let engine = Engine(after: { _ in await release.pass() })
    let bank = FencedSerialTaskExecutor(access: engine)
    let job = bank.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    let paused = Task.immediate { try await bank.pauseAndWait() }
    if what == "the access" {
      gate.open()
      try await job.value
      await release.arrived()
    }
    bank.resume()
    await #expect(throws: JobRejection.withdrawn) { try await paused.value }
    gate.open()
    release.open()
    try await bank.drain()
  }

  /// Fails if: a caller that is cancelled waits on, or leaves the pause behind that it began.
  @Test func aCallerOfAPauseLeaves() async throws {
    let release = Gate()
    let engine = Engine(after: { request in if request == 1 { await release.pass() } })
    let bank = FencedSerialTaskExecutor(access: engine)
    let cancelled = Task.immediate {
      withUnsafeCurrentTask { $0?.cancel() }
      try await bank.pauseAndWait()
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let job = bank.submit(for: "k") { [gate] _ in await gate.pass() }
    await gate.arrived()
    for opens in [false, true] {
      let paused = Task.immediate { try await bank.pauseAndWait() }
      if opens {
        gate.open()
        try await job.value
        await release.arrived()
      }
      paused.cancel()
      await #expect(throws: CancellationError.self) { try await paused.value }
      #expect(!bank.snapshot.isPaused)
    }
    release.open()
    try await bank.enqueue(for: "k") { _ in }
    try await bank.drain()
  }

  /// Fails if: a job waits for its own end, or the executor is paused by that.
  @Test func aPauseInsideAJob() async throws {
    let bank = FencedSerialTaskExecutor(access: Engine())
    try await bank.enqueue(for: "k") { _ in
      do {
        try await bank.pauseAndWait()
        Issue.record("it did not throw")
      } catch JobRejection.deadlock {}
    }
    #expect(!bank.snapshot.isPaused)
    try await bank.enqueue(for: "k") { _ in }
    try await bank.drain()
  }

  /// Fails if: an executor that is released does not let its jobs go on.
  @Test func aReleasedExecutorResumes() async throws {
    let engine = SharedEngine()
    let elsewhere = await engine.hold("k")
    var bank: FencedSerialTaskExecutor<String>? = FencedSerialTaskExecutor(access: engine)
    let jobs = ["k", "l"].map { key in bank!.submit(for: key) { [log] _ in log(key) } }
    try await engine.waits(for: 1, of: "k")
    try await jobs[1].value
    try await bank!.pauseAndWait()
    let last = bank!.submit(for: "l") { [log] _ in log("last") }
    elsewhere.open()
    bank = nil
    try await jobs[0].value
    try await last.value
    #expect(log.entries.sorted() == ["k", "l", "last"])
  }

  /// Pauses and resumes on real threads, with callers that come meanwhile and access that others have in between.
  ///
  /// Fails if: a job runs or access is held although a pause says that there is none, or a caller is forgotten. (Then it hangs.)
  @Test func pausesOnRealThreads() async throws {
    let engine = SharedEngine.hearing()
    let banks = (1...2).map { _ in FencedSerialTaskExecutor(access: engine, keepsAccessFor: .milliseconds(1)) }
    let inside = Log<Int>()
    try await withThrowingTaskGroup { group in
      for bank in banks {
        for caller in 0..<4 {
          group.addTask {
            for round in 0..<100 {
              let keys = [["a"], ["a", "b"], ["b"], ["b", "a"]][(caller + round) % 4]
              try await bank.enqueue(forAll: keys) { fences in
                inside(fences.count)
                await Task.yield()
              }
            }
          }
        }
      }
      group.addTask {
        for round in 0..<60 {
          let bank = banks[0]
          do {
            try await bank.pauseAndWait()
            let count = inside.entries.count
            let busy = bank.heldKeys
            for _ in 0..<20 { await Task.yield() }
            #expect(busy == 0 && bank.heldKeys == 0, "after \(count)")
          } catch JobRejection.withdrawn {}
          if round % 3 == 0 {
            let second = Task.immediate { try await bank.pauseAndWait() }
            bank.resume()
            _ = await second.result
          }
          bank.resume()
        }
      }
      try await group.waitForAll()
    }
    for bank in banks { try await bank.drain() }
    #expect(inside.entries.count == 800 && banks.allSatisfy { $0.busyKeys == 0 })
  }
}
