import CoalescingTasks
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

  // MARK: Tasks that were started in the turn

  private func named(_ task: Task<Void, any Error>) async {
    _ = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
  }

  /// The usual hang that cannot be known: a job awaits a task that waits for it.
  ///
  /// ```
  /// outer   ├ Task { inner } ─ awaits it ──────── 10, reported, names inner
  /// left       └ waits, and leaves
  /// inner      └ waits for its turn ·············
  /// ```
  /// Fails if: the report does not name the caller, or one that has left, is a stranger, or was started elsewhere.
  @Test func aJobThatAwaitsATaskThatWaitsForIt() async throws {
    let line = executor()
    try await line.enqueue(name: "before") {}
    let began = Gate()
    let outer = line.submit(name: "outer") {
      let left = Task.immediate { try await line.enqueue(name: "left") {} }
      let inner = Task.immediate { try await line.enqueue(name: "inner") {} }
      left.cancel()
      _ = await left.result
      began.open()
      await named(inner)
    }
    await began.pass()
    let stranger = waiting(line, name: "stranger") {}
    try await sleepers(1)
    pass(10)
    try await until { reports.count == 1 }
    #expect(
      lines == [
        "line: outer has had its turn for 10.0 seconds, and 2 wait; inner was started in that turn: does outer await it?"
      ])
    outer.cancel()
    try await outer.value
    try await stranger.value
  }

  /// Fails if: that of a key is not named, or one that waits for another key is.
  @Test func aJobOfAKeyThatAwaitsSuchATask() async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "bank", reportsTurnsLongerThan: .seconds(10), clock: clock) {
      [events] in events($0)
    }
    let held = await Held(bank, "bob")
    pass(4)
    let (began, outer) = (Gate(), Log<Task<Void, any Error>>())
    let job = bank.submit(for: "ann", name: "outer") {
      outer(Task.immediate { try await bank.enqueue(for: "bob", name: "other") {} })
      let inner = Task.immediate { try await bank.enqueue(for: "ann") {} }
      began.open()
      await named(inner)
    }
    await began.pass()
    pass(6)
    try await until { reports.count == 1 && clock.alarms == [.seconds(14)] }
    pass(4)
    try await until { reports.count == 2 }
    #expect(lines[0].hasSuffix("and 2 wait"))
    #expect(lines[1].hasSuffix("and 2 wait; job 4 was started in that turn: does outer await it?"))
    job.cancel()
    try await job.value
    try await held.release()
    try await outer.entries[0].value
  }

  /// Fails if: a caller that joins the read in which its task was started is not named.
  @Test func aReadThatAwaitsATaskThatJoinsIt() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes", reportsTurnsLongerThan: .seconds(10), clock: clock) {
      [events] in events($0)
    }
    let began = Gate()
    let read = Task {
      try await notes.read(1, name: "outer") {
        let inner = Task.immediate { try await notes.read(1, name: "inner") {} }
        began.open()
        await named(inner)
      }
    }
    await began.pass()
    try await sleepers(1)
    pass(10)
    try await until { reports.count == 1 }
    #expect(lines[0].hasSuffix("and 0 wait; inner was started in that turn: does outer await it?"))
    read.cancel()
    _ = await read.result
  }

  /// A line keeps its turns for the jobs to come.
  ///
  /// ```
  /// first   ├─ starts inner ┤
  /// second                  ├─ has the turn ─── 10, reported
  /// inner      └─ waits ·························
  /// ```
  /// Fails if: a caller is named whose task was started in a turn that has ended.
  @Test func aTaskThatWaitsOnWhenItsJobHasEnded() async throws {
    let (line, gate, inner) = (executor(), Gate(), Log<Task<Void, any Error>>())
    var second: SubmittedJob<Void>?
    try await line.enqueue(name: "first") {
      second = line.submit(name: "second") { await gate.pass() }
      inner(Task.immediate { try await line.enqueue(name: "inner") {} })
    }
    await gate.arrived()
    pass(10)
    try await until { reports.count == 1 }
    #expect(lines == ["line: second has had its turn for 10.0 seconds, and 1 wait"])
    gate.open()
    try await second?.value
    try await inner.entries[0].value
  }
}
