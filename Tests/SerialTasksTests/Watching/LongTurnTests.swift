import CoalescingTasks
import Testing

/// Turns that are held for longer than a limit are reported, once.
@Suite(.watched) struct LongTurnTests {
  private let clock = ManualClock()
  private let events = Log<TaskEvent>()

  private func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

  private func waitForSleepers(_ count: Int) async throws { try await until { clock.alarms.count == count } }

  private var reports: [TaskEvent] {
    events.entries.filter { $0.kind.name == "heldTooLong" }
  }

  private var lines: [String] { reports.map(\.description) }

  private func executor() -> SerialTaskExecutor {
    SerialTaskExecutor(name: "line", reportsTurnsLongerThan: .seconds(10), clock: clock) { [events] in events($0) }
  }

  /// Fails if: a turn that has ended is reported, or each turn has a timer of its own.
  @Test func aTurnThatEndsInTime() async throws {
    let line = executor()
    for _ in 0..<100 { try await line.enqueue {} }
    try await waitForSleepers(1)
    let held = await Held(line)
    pass(10)
    try await until { !reports.isEmpty }
    #expect(reports.map(\.job) == ["holder"])
    try await held.release()
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
    try await waitForSleepers(1)
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
      try await waitForSleepers(1)
    }
    // A report of another test may hold it for a moment.
    try await until { line == nil }
    try await waitForSleepers(0)
    pass(10)
    #expect(reports.isEmpty)
  }

}
