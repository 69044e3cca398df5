import SerialTasksFenced
import Testing

/// Callers that are cancelled, jobs that are withdrawn, and what becomes of requests that no job needs.
@Suite(.watched) struct FencedLeavingTests {
  let gate = Gate()
  let clock = ManualClock()

  enum Moment: CaseIterable { case waiting, withOneOfTwoKeys, heldBack, granted }

  enum Way: CaseIterable {
    case cancelled, late, withdrawn, withdrawnAtAKey, shutDown

    var rejection: JobRejection? { self == .cancelled ? nil : self == .late ? .late : .withdrawn }
  }

  /// When a caller leaves: it waits for access to b, has access to a and waits for b, is held back by a pause, or was granted access
  /// and has not gone on.
  ///
  /// ```
  ///   0 a waits for access ── b stands behind it ── 3 the moment comes ── a leaves: b runs, or is withdrawn too
  /// ```
  /// Fails if: a caller that leaves runs, waits on, is reported to have begun, loses its wait, takes the place of one that may run under
  /// the grant, keeps a key, or takes the request with it that others wait for.
  @Test(arguments: Moment.allCases, Way.allCases) func aCallerLeaves(_ moment: Moment, _ way: Way) async throws {
    let (engine, events, thread) = (Engine(), Log<String>(), OneThread())
    let bank = Bank(access: engine, jobsPerAccess: 1, clock: clock, onEvent: { events($0.words) })
    let (callers, elsewhere) = (Callers(bank), await engine.hold("b"))
    let keys = moment == .withOneOfTwoKeys ? ["a", "b"] : ["b"]
    let a = thread.start {
      try await bank.enqueue(touching: keys, name: "a", waitingAtMost: .seconds(5)) { _ in _ = Issue.record("it ran") }
    }
    try await engine.waitUntil(waiting: 1, for: "b")
    let b = callers.call("b", for: keys[0])
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    if moment == .heldBack {
      try await bank.pauseAndWait()
      try await clock.waitForSleepers()
    }
    if moment == .granted {
      thread.settle()
      thread.hold()
      let count = thread.count
      elsewhere.open()
      try await until { thread.count > count }
    }
    var shutDown: Task<Bool, Never>?
    switch way {
    case .cancelled: a.cancel()
    case .late: clock.advance(by: .seconds(2))
    case .withdrawn: bank.cancelAll()
    case .withdrawnAtAKey: bank.cancelAll(for: keys[0])
    case .shutDown: shutDown = Task.immediate { await bank.shutDown(within: .zero) }
    }
    if moment == .granted { thread.goOn() }
    let error = await #expect(throws: (any Error).self) { try await a.value }
    #expect(error as? JobRejection == way.rejection && (error is CancellationError) == (way == .cancelled))
    elsewhere.open()
    bank.resume()
    if way.rejection == .withdrawn {
      await #expect(throws: JobRejection.withdrawn) { try await b.value }
    } else {
      try await b.value
    }
    try await bank.drain()
    #expect(callers.log.entries == (way.rejection == .withdrawn ? [] : ["b 1"]) && bank.busyKeys == 0)
    if moment == .waiting, way == .cancelled { #expect(engine.requests == 1) }
    let word = way == .cancelled ? "cancelled" : way == .late ? "late" : "withdrawn"
    #expect(events.entries.filter { $0.hasPrefix("a") } == ["a \(word) \(way == .late ? 5 : 3) -"])
    if let shutDown { #expect(await !shutDown.value) }
  }

  /// Fails if: a job that is withdrawn while it waits for access, by a call that also cancels its task, is reported as cancelled; or a
  /// shutdown says that all has ended by itself, although a job was withdrawn or left.
  @Test(arguments: ["all", "key", "cancel"]) func aSubmittedJobLeaves(by call: String) async throws {
    let events = Log<String>()
    let bank = Bank(
      access: Engine(before: { [gate] _ in await gate.pass() }), clock: clock, onEvent: { events($0.words) })
    let job = bank.submit(for: "k", name: "a") { _ in }
    await gate.waitForArrivals()
    let shutDown = Task.immediate { await bank.shutDown(within: .seconds(3_600)) }
    switch call {
    case "all": bank.cancelAll()
    case "key": bank.cancelAll(for: "k")
    default: job.cancel()
    }
    await #expect(throws: (any Error).self) { try await job.value }
    gate.open()
    #expect(await !shutDown.value)
    #expect(events.entries == [call == "cancel" ? "a cancelled 0 -" : "a withdrawn 0 -"])
  }

  /// ```
  ///   x asks for a ── j{a,b}, submitted, stands behind it ── j is cancelled ── x waits for the same request ── granted: x runs
  /// ```
  /// Fails if: a request ends when a job leaves that stands behind the one that waits for it.
  @Test func aJobLeavesBehindOneThatWaitsForAccess() async throws {
    let engine = Engine()
    let (callers, elsewhere) = (Callers(engine), await engine.hold("a"))
    let x = callers.call("x", for: "a", "c")
    try await engine.waitUntil(waiting: 1, for: "a")
    let j = callers.bank.submit(touching: ["a", "b"]) { _ in _ = Issue.record("it ran") }
    j.cancel()
    await #expect(throws: CancellationError.self) { try await j.value }
    elsewhere.open()
    try await x.value
    #expect(engine.log.entries.filter { $0.hasPrefix("ask") } == ["ask a", "ask c"])
  }

  /// Fails if: a request goes on that no job needs, or a later job gets nothing.
  @Test func theLastCallerCancelsTheRequest() async throws {
    let engine = Engine(before: { [gate] request in if request == 1 { try await gate.passUnlessCancelled() } })
    let callers = Callers(engine)
    let a = callers.call("a")
    await gate.waitForArrivals()
    a.cancel()
    await #expect(throws: CancellationError.self) { try await a.value }
    try await callers.call("b").value
    try await callers.bank.drain()
    #expect(callers.log.entries == ["b 1"])
    #expect(engine.log.entries == ["ask k", "ask k", "grant k 1", "release k 1"])
  }

  /// An engine that does not hear of cancellation grants too late.
  ///
  /// Fails if: a job runs under the late grant, or it is kept.
  @Test(arguments: [false, true]) func aLateGrantIsReleased(isPaused: Bool) async throws {
    let engine = Engine(before: { [gate] request in if request == 1 { await gate.pass() } })
    let callers = Callers(Bank(access: engine, keepsAccessFor: .seconds(3_600)))
    let (bank, a) = (callers.bank, callers.call("a"))
    await gate.waitForArrivals()
    let paused = Task.immediate { if isPaused { try await bank.pauseAndWait() } else { a.cancel() } }
    if !isPaused { await #expect(throws: CancellationError.self) { try await a.value } }
    let b = callers.call("b")
    gate.open()
    try await paused.value
    if isPaused {
      #expect(engine.log.entries == ["ask k", "grant k 1", "release k 1"] && callers.log.entries.isEmpty)
      bank.resume()
      try await a.value
    }
    try await b.value
    try await bank.drain()
    #expect(callers.log.entries == (isPaused ? ["a 2", "b 2"] : ["b 2"]))
    #expect(engine.log.entries == (1...2).flatMap { ["ask k", "grant k \($0)", "release k \($0)"] })
  }

  /// ```
  ///   part 1: a job runs, is cancelled, opens access ── part 2: x waits for access
  /// ```
  /// Fails if: among several parts that are shut down, a job that waits for access begins when one before it is cancelled.
  @Test func nothingBeginsWhenAnotherPartIsCancelled() async throws {
    let (engine, line) = (Engine(), SerialTaskExecutor())
    let (callers, elsewhere) = (Callers(engine), await engine.hold("a"))
    let (began, cancelled) = (Gate(), Gate())
    let x = callers.call("x", for: "a")
    try await engine.waitUntil(waiting: 1, for: "a")
    let job = Task.immediate {
      try await line.enqueue {
        await withTaskCancellationHandler {
          began.open()
          await cancelled.pass()
        } onCancel: {
          elsewhere.open()
          cancelled.open()
        }
      }
    }
    await began.pass()
    let parts: [any Drainable] = [line, callers.bank]
    #expect(await !parts.shutDown(within: .zero))
    _ = await job.result
    await #expect(throws: JobRejection.withdrawn) { try await x.value }
    #expect(callers.log.entries.isEmpty && callers.bank.heldKeys == 0)
  }

  /// ```
  ///   a has ended, and its access is being given back ── b asks ── withdrawn, and does not wait yet ── b is rejected
  /// ```
  /// The report that the request waits is made between the two.
  ///
  /// Fails if: a job that is withdrawn before it waits for access waits for the engine.
  @Test(arguments: [false, true]) func withdrawnBeforeItWaits(ofOneKey: Bool) async throws {
    let engine = Engine(after: { [gate] request in if request == 1 { await gate.pass() } })
    let withdraw = Log<@Sendable () -> Void>()
    let bank = Bank(
      access: engine, onEvent: nil,
      onAccess: { event in if case .waiting = event.kind { for act in withdraw.entries { act() } } })
    withdraw { [weak bank] in if ofOneKey { bank?.cancelAll(for: "k") } else { bank?.cancelAll() } }
    let callers = Callers(bank)
    try await callers.call("a").value
    await gate.waitForArrivals()
    await #expect(throws: JobRejection.withdrawn) { try await callers.call("b").value }
    gate.open()
    try await bank.drain()
    #expect(callers.log.entries == ["a 1"] && engine.requests == 1)
  }
}
