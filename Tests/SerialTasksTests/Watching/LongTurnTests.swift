import SerialTasks
import Testing

/// Turns that are held for longer than a limit are reported, once.
@Suite(.watched) struct LongTurnTests {
  private let clock = ManualClock()
  private let events = Log<TaskEvent>()

  private func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

  private func sleepers(_ count: Int) async throws { try await until { clock.alarms.count == count } }

  private var reports: [TaskEvent] {
    events.entries.filter { if case .heldTooLong = $0.kind { true } else { false } }
  }

  private var lines: [String] { reports.map(\.description) }

  private func executor() -> SerialTaskExecutor {
    SerialTaskExecutor(name: "line", reportsTurnsLongerThan: .seconds(10), clock: clock) { [events] in events($0) }
  }

  /// ```
  /// holder  ├── 10, reported ── 20, not again ──┤
  /// next        └ waits ························├── 10, reported ──┤
  /// ```
  /// Fails if: a turn is reported too early, twice, without those behind it, or the next one not at all.
  @Test func eachTurnOnce() async throws {
    let held = await Held(executor())
    let gate = Gate()
    let next = waiting(held.executor, name: "next") { await gate.pass() }
    try await sleepers(1)
    pass(9)
    #expect(clock.alarms == [.seconds(10)])
    pass(1)
    try await until { reports.count == 1 }
    #expect(lines == ["line: holder has had its turn for 10.0 seconds, and 1 wait"])
    #expect(reports.first?.waited == .zero && reports.first?.ran == .seconds(10))
    pass(10)
    // The task that has reported it sleeps no more, for nothing else runs.
    try await sleepers(0)
    try await held.release()
    await gate.arrived()
    try await sleepers(1)
    pass(10)
    try await until { reports.count == 2 }
    #expect(lines.last == "line: next has had its turn for 10.0 seconds, and 0 wait")
    gate.open()
    try await next.value
    #expect(reports.count == 2)
  }

  /// Fails if: a turn that has ended is reported, or each turn has a timer of its own.
  @Test func aTurnThatEndsInTime() async throws {
    let line = executor()
    for _ in 0..<100 { try await line.enqueue {} }
    try await sleepers(1)
    let held = await Held(line)
    pass(10)
    try await until { !reports.isEmpty }
    #expect(reports.map(\.job) == ["holder"])
    try await held.release()
  }

  /// Fails if: the turns of keys that run beside each other are taken for one, or that of one is not reported.
  @Test func turnsOfKeys() async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "bank", reportsTurnsLongerThan: .seconds(10), clock: clock) {
      [events] in events($0)
    }
    let gate = Gate()
    let ann = bank.submit(for: "ann", name: "first") { await gate.pass() }
    await gate.arrived()
    pass(4)
    let both = bank.submit(forAll: ["bob", "cy"], name: "second") { await gate.pass() }
    await gate.arrived(2)
    let behind = (0..<2).map { _ in bank.submit(for: "cy") {} }
    try await sleepers(1)
    pass(6)
    try await until { reports.count == 1 && clock.alarms == [.seconds(14)] }
    pass(4)
    try await until { reports.count == 2 }
    #expect(
      lines == [
        "bank[ann]: first has had its turn for 10.0 seconds, and 2 wait",
        "bank[bob, cy]: second has had its turn for 10.0 seconds, and 2 wait",
      ])
    gate.open()
    for job in [ann, both] + behind { try await job.value }
  }

  /// Fails if: a read's turn has no limit.
  @Test func aReadThatTakesTooLong() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes", reportsTurnsLongerThan: .seconds(10), clock: clock) {
      [events] in events($0)
    }
    let gate = Gate()
    let read = Task.immediate { try await notes.read(1, name: "read") { await gate.pass() } }
    await gate.arrived()
    try await sleepers(1)
    pass(10)
    try await until { reports.count == 1 }
    #expect(lines.map { $0.hasSuffix("read has had its turn for 10.0 seconds, and 0 wait") } == [true])
    gate.open()
    try await read.value
  }

  /// Fails if: there is a timer without a limit, or without anybody to report to.
  @Test func noTimerWithoutALimit() async throws {
    let silent = await Held(SerialTaskExecutor(reportsTurnsLongerThan: .seconds(10), clock: clock))
    let unlimited = await Held(SerialTaskExecutor(clock: clock) { _ in })
    await othersHaveRun()
    #expect(clock.alarms.isEmpty)
    try await silent.release()
    try await unlimited.release()
  }

  /// The clock is set, so the report comes late.
  ///
  /// Fails if: it says how long the limit is and not how long the turn has gone on, or another time than the clock's.
  @Test func aReportThatComesLate() async throws {
    let held = await Held(executor())
    try await sleepers(1)
    clock.jump(by: .seconds(25))
    try await until { reports.count == 1 }
    #expect(lines == ["line: holder has had its turn for 25.0 seconds, and 0 wait"])
    #expect(events.entries[0].instant.duration(to: reports[0].instant) == .seconds(25))
    #expect(reports[0].place == 1)
    try await held.release()
  }

  /// Fails if: a clock that throws is asked again and again, or never again.
  @Test func aClockThatThrows() async throws {
    struct Broken: Clock {
      let asked = Log<Int>()
      var now: ContinuousClock.Instant { .now }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        asked(1)
        throw BackendError(call: 1)
      }
    }
    let clock = Broken()
    let line = SerialTaskExecutor(reportsTurnsLongerThan: .seconds(3_600), clock: clock) { _ in }
    let held = await Held(line)
    try await until { !clock.asked.entries.isEmpty }
    await othersHaveRun()
    #expect(clock.asked.entries.count == 1)
    try await held.release()
    // The first of these may come before the task that was let down by the clock has said so.
    var turns = 0
    while clock.asked.entries.count == 1, turns < 100_000 {
      try await line.enqueue {}
      turns += 1
    }
    #expect(clock.asked.entries.count > 1, "no later turn is watched")
  }

  /// Fails if: the task that sleeps keeps the executor alive, or sleeps on when that is gone.
  @Test func aReleasedExecutor() async throws {
    weak var line: Line?
    do {
      let executor = executor()
      line = executor.line
      try await executor.enqueue {}
      try await sleepers(1)
    }
    // A report of another test may hold it for a moment.
    try await until { line == nil }
    try await sleepers(0)
    pass(10)
    #expect(reports.isEmpty)
  }

  /// Fails if: the patience that an executor was given, or its clock, is not asked, or `nil` does not turn the watch off.
  @Test func thePatienceOfAnExecutor() async throws {
    var stalls: [TaskEvent] { events.entries.filter { if case .stalled = $0.kind { true } else { false } } }
    let patient = SerialTaskExecutor(name: "patient", stallPatience: .seconds(30), clock: clock) { [events] in
      events($0)
    }
    let unwatched = SerialTaskExecutor(name: "unwatched", stallPatience: nil, clock: clock) { [events] in events($0) }
    let (gate, done) = (Gate(), Gate())
    let jobs = [patient, unwatched].map { executor in
      executor.submit(name: "outer") {
        Task.immediate { try await executor.enqueue(name: "inner") { await done.pass() } }
        await gate.pass()
      }
    }
    await gate.arrived(2)
    try await sleepers(1)
    #expect(clock.alarms == [.seconds(30)])
    pass(30)
    try await until { !stalls.isEmpty }
    #expect(stalls.map(\.executor) == ["patient"])
    let began = try #require(events.entries.first { $0.executor == "patient" })
    #expect(stalls.first.map { began.instant.duration(to: $0.instant) } == .seconds(30))
    gate.open()
    done.open()
    for job in jobs { try await job.value }
    for executor in [patient, unwatched] { try await executor.drain() }
  }
}
