import SerialTasks
import SerialTasksTesting
import Testing

/// The answers of the article with the questions of the first week, run.
@Suite(.watched, .oneOrder) struct QuestionTests {
  let gate = Gate()
  let clock = ManualClock()
  let log = Log()

  /// Fails if: another job comes between two attempts, or more than three are made.
  @Test func aRetryKeepsItsPlace() async throws {
    let line = SerialTaskExecutor(name: "line")
    let retried = Task {
      var attempts = 0
      try await QuestionUse.retried(line, clock) {
        attempts += 1
        log("attempt \(attempts)")
        if attempts < 3 { throw API.Busy() }
      }
    }
    try await clock.waitForSleepers()
    line.submit { log("next") }
    clock.advance(by: .seconds(1))
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    try await retried.value
    try await line.drain()
    #expect(log.entries == ["attempt 1", "attempt 2", "attempt 3", "next"])
  }

  /// Fails if: a cancelled job sleeps and tries again.
  @Test func aCancelledRetryEnds() async throws {
    let line = SerialTaskExecutor(name: "line")
    let retried = Task {
      try await QuestionUse.retried(line, clock) {
        log("attempt")
        withUnsafeCurrentTask { $0?.cancel() }
        throw API.Busy()
      }
    }
    await #expect(throws: API.Busy.self) { try await retried.value }
    #expect(log.entries == ["attempt"])
  }

  /// Fails if: two begin in a tenth of a second, or in another order than that of the calls.
  @Test func aPaceIsKept() async throws {
    let api = API()
    let paced = Paced(api: api, clock: clock)
    let first = Task { try await paced.send(1) }
    try await clock.waitForSleepers()
    let second = Task { try await paced.send(2) }
    try await paced.pace.waitUntil(waiting: 1)
    clock.advance(by: .milliseconds(100))
    #expect(try await first.value == "sent 1")
    try await clock.waitForSleepers()
    #expect(try await api.notes() == ["order 1"])
    clock.advance(by: .milliseconds(100))
    #expect(try await second.value == "sent 2")
  }

  /// Fails if: more than three of an account run, or an account waits for another.
  @Test func threeLanesForEachAccount() async throws {
    let pages = Pages(api: API(gate: gate))
    let calls = (0..<4).map { page in Task { try await pages.fetch(page, for: "ann") } }
    await gate.waitForArrivals(3)
    try await pages.lanes.waitUntil(waiting: 1)
    let other = Task { try await pages.fetch(0, for: "bob") }
    await gate.waitForArrivals(4)
    #expect(pages.lanes.snapshot.running == 4 && pages.lanes.snapshot.waiting == 1)
    gate.open()
    for (page, call) in calls.enumerated() { #expect(try await call.value == "ann \(page)") }
    #expect(try await other.value == "bob 0")
  }

  /// Fails if: two callers open two, or a failure is kept.
  @Test func itIsOpenedOnce() async throws {
    let (gate, log) = (gate, log)
    let pool = Pool {
      log("connects")
      await gate.pass()
      if log.entries.count == 1 { throw API.Busy() }
      return Connection(number: log.entries.count)
    }
    let first = Task { try await pool.connection() }
    await gate.waitForArrivals()
    let others = (0..<3).map { _ in Task { try await pool.connection() } }
    try await pool.line.waitUntil(waiting: 3)
    gate.open()
    await #expect(throws: API.Busy.self) { try await first.value }
    for other in others { #expect(try await other.value == Connection(number: 2)) }
  }

  /// Fails if: what a sequence submits is stored in another order, or not before the call returns.
  @Test func aSequenceIsStoredInItsOrder() async throws {
    let (messages, continuation) = AsyncStream<String>.makeStream()
    for message in ["a", "b", "c"] { continuation.yield(message) }
    continuation.finish()
    try await QuestionUse.stored(messages, SerialTaskExecutor(name: "line")) { [log] in log($0) }
    #expect(log.entries == ["a", "b", "c"])
  }
}
