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
    #expect(lines == ["line: holder has had its turn for 10.0 seconds, and 1 wait behind it"])
    #expect(reports.first?.waited == .zero && reports.first?.ran == .seconds(10))
    pass(10)
    // The task that has reported it sleeps no more, for nothing else runs.
    try await sleepers(0)
    try await held.release()
    await gate.arrived()
    try await sleepers(1)
    pass(10)
    try await until { reports.count == 2 }
    #expect(lines.last == "line: next has had its turn for 10.0 seconds, and 0 wait behind it")
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

  /// Fails if: the turns of keys that run beside each other are taken for one, or those behind another are counted.
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
        "bank[ann]: first has had its turn for 10.0 seconds, and 0 wait behind it",
        "bank[bob, cy]: second has had its turn for 10.0 seconds, and 2 wait behind it",
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
    // Its caller waits for it.
    #expect(lines.map { $0.hasSuffix("read has had its turn for 10.0 seconds, and 1 wait behind it") } == [true])
    gate.open()
    try await read.value
  }

  /// Fails if: there is a timer without a limit, or without anybody to report to.
  @Test func noTimerWithoutALimit() async throws {
    let silent = await Held(SerialTaskExecutor(reportsTurnsLongerThan: .seconds(10), clock: clock))
    let unlimited = await Held(SerialTaskExecutor(clock: clock) { _ in })
    for _ in 0..<10 {
      let behind = Gate()
      Task.detached(priority: .background) { behind.open() }
      await behind.pass()
    }
    #expect(clock.alarms.isEmpty)
    try await silent.release()
    try await unlimited.release()
  }

  /// Fails if: the task that sleeps keeps the executor alive.
  @Test func aReleasedExecutor() async throws {
    weak var line: SerialLine?
    do {
      let executor = executor()
      line = executor.line
      try await executor.enqueue {}
      try await sleepers(1)
    }
    // A report of another test may hold it for a moment.
    try await until { line == nil }
    pass(10)
    try await sleepers(0)
    #expect(reports.isEmpty)
  }

  #if !SERIALTASKS_NO_PROBE
    /// Fails if: the patience that an executor was given, or its clock, is not asked, or `nil` does not turn the watch off.
    @Test func thePatienceOfAnExecutor() async throws {
      let stalls = Log<TaskEvent>()
      let patient = SerialTaskExecutor(name: "patient", stallPatience: .seconds(30), clock: clock) { event in
        if case .stalled = event.kind { stalls(event) }
      }
      let unwatched = SerialTaskExecutor(name: "unwatched", stallPatience: nil, clock: clock) { event in
        if case .stalled = event.kind { stalls(event) }
      }
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
      try await until { !stalls.entries.isEmpty }
      #expect(stalls.entries.map(\.executor) == ["patient"])
      #expect(stalls.entries.first.map { $0.instant } != nil)
      gate.open()
      done.open()
      for job in jobs { try await job.value }
      for executor in [patient, unwatched] { try await executor.drain() }
    }
  #endif
}
