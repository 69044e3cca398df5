import SerialTasksFenced
import Testing

/// For which jobs, and for which access, a caller of `drain` waits.
@Suite(.watched) struct FencedDrainTests {
  let gate = Gate()
  let line = SerialTaskExecutor(name: "line")

  private func drain(_ callers: Callers, ofOneKey: Bool = false) -> Task<Void, any Error> {
    Task.immediate { [line] in
      try await line.enqueue {
        if ofOneKey { try await callers.bank.drain(for: "k") } else { try await callers.bank.drain() }
        callers.log("drained")
      }
    }
  }

  /// ```
  ///   a has ended, and its access is being given back ── d drains, b and c of another key come, c runs ── it has been given back: b runs,
  ///   and d goes on
  /// ```
  /// Fails if: drain waits for a job that came later, or not until the access has been given back that was used before, while another
  /// process would still have to wait.
  @Test(arguments: [false, true]) func drainDoesNotWaitForJobsThatCome(ofOneKey: Bool) async throws {
    let running = Gate()
    let engine = Engine(after: { [gate] in if $0 == 1 { await gate.pass() } })
    let callers = Callers(Bank(access: engine, jobsPerAccess: 1))
    try await callers.call("a").value
    await gate.waitForArrivals()
    let drain = Task.immediate {
      if ofOneKey { try await callers.bank.drain(for: "k") } else { try await callers.bank.drain() }
      callers.log("drained after \(engine.log.entries.filter { $0.hasSuffix("k 1") }.last!)")
    }
    let later = [callers.call("b") { await running.pass() }, callers.call("c", for: "x") { await running.pass() }]
    await running.waitForArrivals()
    #expect(callers.log.entries == ["a 1", "c 1"])
    gate.open()
    await running.waitForArrivals(2)
    try await drain.value
    #expect(Set(callers.log.entries.dropFirst(2)) == ["drained after release k 1", "b 2"])
    running.open()
    for call in later { try await call.value }
  }

  /// Fails if: drain does not wait until access has been given back that a job before it asks for only then.
  @Test func drainWaitsForAccessThatIsAskedForLater() async throws {
    let engine = Engine(after: { [gate] _ in await gate.pass() })
    let callers = Callers(engine)
    callers.bank.pause()
    let call = callers.call("a")
    let drain = Task.immediate {
      try await callers.bank.drain()
      callers.log("drained after \(engine.log.entries.last!)")
    }
    callers.bank.resume()
    try await call.value
    await gate.waitForArrivals()
    gate.open()
    try await drain.value
    #expect(callers.log.entries == ["a 1", "drained after release k 1"])
  }

  /// Fails if: drain waits only for the access of one key.
  @Test(arguments: [true, false]) func drainWaitsForTheAccessOfEachKey(firstEndsFirst: Bool) async throws {
    let (thread, other) = (OneThread(), Gate())
    let engine = Engine(after: { [gate] in
      if ($0 == 1) == firstEndsFirst { await gate.pass() } else { await other.pass() }
    })
    let callers = Callers(engine)
    try await callers.call("a").value
    try await callers.call("b", for: "x").value
    let released = { @Sendable in engine.log.entries.count { ["release k 1", "release x 1"].contains($0) } }
    let drained = thread.start {
      try await callers.bank.drain()
      callers.log("drained after \(released())")
    }
    thread.settle()
    gate.open()
    try await until { released() == 1 }
    try await callers.call("c", for: "y").value
    thread.settle()
    other.open()
    try await drained.value
    #expect(callers.log.entries.last == "drained after 2")
  }

  /// ```
  ///   a runs ── a job of the line drains ── b comes, of k or also of l ── a ends: b runs, and asks for the line ── drained: b has it
  /// ```
  /// Fails if: a later job uses the access for which a caller of `drain` waits; then both wait for ever.
  @Test(arguments: [false, true], [["k"], ["k", "l"]])
  func aLaterJobClosesNoCycle(ofOneKey: Bool, keys: [String]) async throws {
    let callers = Callers(Engine())
    let a = await callers.hold("a", at: gate)
    let drained = drain(callers, ofOneKey: ofOneKey)
    let b = callers.bank.submit(touching: keys) { [line] fences in
      try await line.enqueue { callers.log("b \(fences["k"]!.number)") }
    }
    gate.open()
    try await a.value
    try await drained.value
    try await b.value
    #expect(callers.log.entries == ["a 1", "drained", "b 2"])
  }

  /// ```
  ///   a waits for access ── a job of the line drains ── b comes ── a is cancelled: drained ── b waits for a request of its own
  /// ```
  /// Fails if: a later job waits for the request of a job for which a caller of `drain` waits, or that caller for the later job.
  @Test func aLaterJobSendsItsOwnRequest() async throws {
    let engine = Engine()
    let (callers, elsewhere) = (Callers(engine), await engine.hold("k"))
    let a = callers.call("a")
    try await engine.waitUntil(waiting: 1)
    let drained = drain(callers)
    let b = callers.call("b") { [line] in try await line.enqueue {} }
    a.cancel()
    await #expect(throws: CancellationError.self) { try await a.value }
    try await drained.value
    elsewhere.open()
    try await b.value
    #expect(callers.log.entries == ["drained", "b 1"] && engine.requests == 2)
  }

  /// ```
  ///   a has ended, and its access is being released ── b sends a request ── d drains ── b is cancelled, and its request ends ── released:
  ///   d goes on
  /// ```
  /// Fails if: drain waits only for the last request, which may end before those ahead of it.
  @Test func aRequestEndsBeforeTheOneAhead() async throws {
    let thread = OneThread()
    let engine = Engine(after: { [gate] _ in await gate.pass() })
    let callers = Callers(Bank(access: engine, jobsPerAccess: 1))
    try await callers.call("a").value
    await gate.waitForArrivals()
    let b = callers.call("b")
    let drained = thread.start {
      try await callers.bank.drain()
      callers.log("drained after \(engine.log.entries.last!)")
    }
    thread.settle()
    b.cancel()
    await #expect(throws: CancellationError.self) { try await b.value }
    thread.settle()
    gate.open()
    try await drained.value
    #expect(callers.log.entries == ["a 1", "drained after release k 1"])
  }

  /// Fails if: a job that was accepted before is no part of the wait graph.
  @Test func anEarlierJobClosesACycle() async throws {
    let callers = Callers(Bank(name: "bank", access: Engine()))
    let a = callers.call("a") { [gate, line] in
      await gate.pass()
      try await line.enqueue {}
    }
    await gate.waitForArrivals()
    let drained = drain(callers)
    gate.open()
    do {
      try await a.value
      Issue.record("a cycle was not found")
    } catch JobRejection.deadlock(let deadlock) { #expect(deadlock.path == ["line", "bank", "bank[k]", "line"]) }
    try await drained.value
  }

  /// An engine that needs the line to release access.
  ///
  /// ```
  ///   a has ended: its access is being released ── a job of the line drains, before or after the engine asks for the line
  /// ```
  /// Fails if: the request for which a caller of `drain` waits is no part of the wait graph.
  @Test(arguments: [false, true]) func theReleaseClosesACycle(drainsFirst: Bool) async throws {
    let engine = Engine(after: { [gate, line] _ in
      if drainsFirst { await gate.pass() }
      try await line.enqueue {}
    })
    let failures = Log<String>()
    let bank = Bank(
      name: "bank", access: engine, onEvent: nil,
      onAccess: { event in
        guard case .failed(JobRejection.deadlock(let deadlock)) = event.kind else { return }
        failures(deadlock.path.joined(separator: " "))
      })
    let callers = Callers(bank)
    if drainsFirst {
      try await callers.call("a").value
      await gate.waitForArrivals()
      let drained = drain(callers)
      gate.open()
      try await drained.value
      #expect(failures.entries == ["line bank access[k] engine[k] line"])
    } else {
      let drained = Task.immediate { [gate, line] in
        try await line.enqueue {
          await gate.pass()
          try await bank.drain()
        }
      }
      try await callers.call("a").value
      try await line.waitUntil(waiting: 1)
      gate.open()
      await #expect(throws: JobRejection.self) { try await drained.value }
      try await bank.drain()
      #expect(failures.entries.isEmpty)
    }
  }

  /// Fails if: a later job's access is not kept while a caller of `drain` waits, or that of an earlier job is.
  @Test func whatIsKeptDuringADrain() async throws {
    let engine = Engine()
    let bank = Bank(access: engine, keepsAccessFor: .seconds(3_600))
    let callers = Callers(bank)
    #expect(try await bank.number("x") == 1)
    let a = await callers.hold("a", at: gate)
    let earlier = Gate()
    let b = callers.call("b", for: "y") { await earlier.pass() }
    await earlier.waitForArrivals()
    let drained = drain(callers)
    for _ in 1...2 { #expect(try await bank.number("x") == 2) }
    earlier.open()
    try await b.value
    try await until { engine.log.entries.contains("release y 1") }
    gate.open()
    try await a.value
    try await drained.value
    #expect(try await bank.number("x") == 2)
    #expect(engine.log.entries.filter { $0.hasPrefix("release") } == ["x 1", "y 1", "k 1"].map { "release \($0)" })
    try await bank.drain()
  }

  /// ```
  /// job:          0 ─ runs ─ 9
  /// its access:              9 ─ is being given back ─┤ is cancelled
  /// shutdown:     0 ──────────────────────────────── 10
  /// ```
  /// Fails if: the time of a shutdown begins anew when the jobs have ended. (Then this hangs.)
  @Test func oneLimitForJobsAndAccess() async throws {
    let (clock, job) = (ManualClock(), Gate())
    let engine = Engine(after: { [gate] _ in try await gate.passUnlessCancelled() })
    let callers = Callers(Bank(access: engine, clock: clock))
    let running = await callers.hold("a", at: job)
    let end = Task.immediate { await callers.bank.shutDown(within: .seconds(10)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    job.open()
    try await running.value
    await gate.waitForArrivals()
    clock.advance(by: .seconds(1))
    #expect(await !end.value)
  }

  /// Fails if: a job that waits for access when the limit of a shutdown has passed is told that it was cancelled.
  @Test func whatWaitsForAccessAtTheLimit() async throws {
    let clock = ManualClock()
    let engine = Engine(before: { [gate] _ in try await gate.passUnlessCancelled() })
    let callers = Callers(Bank(access: engine, clock: clock))
    let waiting = callers.call("a")
    await gate.waitForArrivals()
    let end = Task.immediate { await callers.bank.shutDown(within: .seconds(1)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    await #expect(throws: JobRejection.withdrawn) { try await waiting.value }
    #expect(await !end.value)
  }
}
