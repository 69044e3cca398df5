import Testing

@testable import SerialTasks
@testable import SerialTasksFenced

/// Pauses: what ends first, what waits, and that no access is held or asked for meanwhile.
@Suite(.watched) struct FencedPauseTests {
  let gate = Gate()
  let release = Gate()

  /// ```
  ///   another has b ── j{a,b} has a and asks for b, x stands behind it ── paused: the request is cancelled, a released ── b is free ──
  ///   resumed: asked again, j, x, y
  /// ```
  /// Fails if: a pause waits for access that another process has, a request is left behind, a job over several keys holds those that it
  /// has, or the order changes.
  @Test func whatWaitsForAccessIsHeldBack() async throws {
    let engine = Engine()
    let (callers, elsewhere) = (Callers(engine), await engine.hold("b"))
    let calls = [callers.call("j", for: "a", "b"), callers.call("x", for: "b")]
    try await engine.waitUntil(waiting: 1, for: "b")
    try await callers.bank.pauseAndWait()
    let late = callers.call("y", for: "b")
    elsewhere.open()
    // Nothing of this process stands at the engine.
    await engine.hold("b").open()
    #expect(callers.log.entries.isEmpty && engine.log.entries == ["ask a", "grant a 1", "ask b", "release a 1"])
    callers.bank.resume()
    for call in calls + [late] { try await call.value }
    #expect(callers.log.entries == ["j 2 1", "x 1", "y 1"])
  }

  enum Asking: CaseIterable { case inItsTurn, andAwaits, not }

  /// A job of k asks for l in its turn, or awaits a job of l that it has submitted, or another asks; the pause begins while that
  /// waits for access.
  ///
  /// Fails if: a pause holds back what a running job waits for (then the suite hangs), or does not hold back what none waits for.
  @Test(arguments: Asking.allCases) func whatARunningJobNeedsStillBegins(_ asking: Asking) async throws {
    let engine = Engine()
    let (callers, elsewhere) = (Callers(engine), await engine.hold("l"))
    let bank = callers.bank
    let job = callers.call("k") { [gate] in
      if asking == .inItsTurn {
        try await bank.enqueue(for: "l") { _ in callers.log("l 1") }
      } else {
        let inner = asking == .andAwaits ? bank.submit(for: "l") { _ in callers.log("l 1") } : nil
        await gate.pass()
        try await inner?.value
      }
    }
    try await until { !callers.log.entries.isEmpty }
    let other = asking == .not ? callers.call("l", for: "l") : nil
    try await engine.waitUntil(waiting: 1, for: "l")
    let paused = Task.immediate { try await bank.pauseAndWait() }
    elsewhere.open()
    if asking == .not { await engine.hold("l").open() }
    gate.open()
    try await job.value
    try await paused.value
    #expect(callers.log.entries == (asking == .not ? ["k 1"] : ["k 1", "l 1"]))
    bank.resume()
    try await other?.value
  }

  /// Fails if: a pause waits for a job that had its turn when it began, and comes to wait for access after that. (Then the suite hangs.)
  @Test func whatComesToWaitForAccessInThePause() async throws {
    let (engine, thread) = (Engine(), OneThread())
    let (callers, elsewhere) = (Callers(engine), await engine.hold("l"))
    let bank = callers.bank
    let first = await callers.hold("first", at: gate)
    let second = thread.start { try await bank.enqueue(touching: ["k", "l"]) { _ in } }
    thread.settle()
    thread.hold()
    let count = thread.count
    gate.open()
    try await first.value
    try await until { thread.count > count }
    let paused = Task.immediate { try await bank.pauseAndWait() }
    thread.goOn()
    try await paused.value
    bank.resume()
    elsewhere.open()
    try await second.value
  }

  /// Fails if: a pause that ends too early, before the job has ended or before access is back, says that it has kept its promise; a
  /// caller that is cancelled waits on, or leaves the pause behind that it began.
  @Test(arguments: [false, true], [false, true])
  func aPauseThatEndsTooEarly(isCancelled: Bool, hasJobEnded: Bool) async throws {
    let callers = Callers(Engine(after: { [release] _ in await release.pass() }))
    let bank = callers.bank
    let job = await callers.hold("a", at: gate)
    let paused = Task.immediate { try await bank.pauseAndWait() }
    if hasJobEnded {
      gate.open()
      try await job.value
      await release.waitForArrivals()
    }
    if isCancelled {
      paused.cancel()
      await #expect(throws: CancellationError.self) { try await paused.value }
    } else {
      bank.resume()
      await #expect(throws: JobRejection.withdrawn) { try await paused.value }
    }
    #expect(!bank.snapshot.isPaused)
    gate.open()
    release.open()
    try await callers.call("b").value
    try await bank.drain()
  }

  /// Fails if: a job that waited for access is not asked for again when the pause has ended with its caller. (Then the suite hangs.)
  @Test func aPauseThatEndsWithItsCaller() async throws {
    let engine = Engine()
    let (callers, elsewhere) = (Callers(engine), await engine.hold("l"))
    let job = await callers.hold("a", at: gate)
    let waiting = callers.call("w", for: "l")
    try await engine.waitUntil(waiting: 1, for: "l")
    let paused = Task.immediate { try await callers.bank.pauseAndWait() }
    elsewhere.open()
    // Nothing of this process stands at the engine.
    await engine.hold("l").open()
    paused.cancel()
    await #expect(throws: CancellationError.self) { try await paused.value }
    try await waiting.value
    gate.open()
    try await job.value
  }

  /// Fails if: an executor that is released in a pause does not let a job go on that waits for access.
  @Test func aReleasedExecutorResumes() async throws {
    let engine = Engine()
    let elsewhere = await engine.hold("k")
    var bank: Bank? = Bank(access: engine)
    let job = bank!.submit(for: "k") { $0.number }
    try await engine.waitUntil(waiting: 1)
    try await bank!.pauseAndWait()
    elsewhere.open()
    bank = nil
    #expect(try await job.value == 1)
  }

  /// Fails if: a job that has begun after it waited for what its line does not know of is not waited for, or leaves an edge in the graph.
  @Test(arguments: [false, true]) func aJobThatWaitedForAccess(begins: Bool) async throws {
    let (keyed, log) = (KeyedSerialTaskExecutor<String>(name: "keys"), Log<String>())
    let job = Task.immediate { [keyed, gate] in
      try await keyed.enqueue(for: "a") {
        let line = keyed.line
        let unbegun = try line.beginUnbegun().get()
        let turns = line.locked { $0.turns() }
        #expect(WaitGraph.waits(from: turns[0]) == 1)
        if begins { #expect(unbegun.begin()) } else { unbegun.end() }
        #expect(WaitGraph.waits(from: turns[0]) == 0)
        await gate.pass()
      }
    }
    let paused = Task.immediate { [keyed] in
      try await keyed.pauseAndWait()
      log("paused")
    }
    #expect(log.entries.isEmpty)
    gate.open()
    try await job.value
    try await paused.value
  }
}
