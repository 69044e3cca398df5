import CoalescingTasks
import Testing

/// What is free, or there already, costs no suspension.
@Suite(.watched) struct CostTests {
  /// Fails if: a call that need not wait reads the clock although nothing is reported and no turn is limited, or a submitted job does
  /// so more than once.
  @Test func noClockIsRead() async throws {
    let reads = Log<Void>()
    let clock = CountedClock(reads: reads)
    let line = SerialTaskExecutor(clock: clock)
    let keyed = KeyedSerialTaskExecutor<Int>(clock: clock)
    let notes = CoalescingTaskExecutor<Int>(clock: clock)
    let made = reads.entries.count
    try await line.enqueue {}
    try await keyed.enqueue(for: 1) {}
    try await keyed.enqueue(touching: [1, 2]) {}
    try await notes.write {}
    try await notes.write(touching: [1]) {}
    #expect(reads.entries.count == made)
    try await line.submit {}.value
    #expect(reads.entries.count <= made + 1)
  }

  private struct CountedClock: Clock {
    let reads: Log<Void>
    var now: ContinuousClock.Instant {
      reads(())
      return .now
    }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  enum Call: CaseIterable, Sendable { case line, key, write, prefetched, kept }

  /// From the main actor to a free executor there is no hop: what was submitted to the main actor before cannot slip in.
  ///
  /// Fails if: such a call suspends.
  @Test(arguments: Call.allCases) @MainActor func noSuspension(_ call: Call) async throws {
    let (pages, log) = (TaskCoalescer<Int, Int>(), Log<String>())
    let token = RenewingValue<Int> { _ in Renewed(1, validFor: .seconds(60)) }
    pages.prefetch(7, expiresAfter: .seconds(3_600)) { 1 }
    _ = try await token.value()
    try await pages.drain()
    let other = Task { @MainActor in log("other") }
    switch call {
    case .line: try await SerialTaskExecutor().enqueue { log("job") }
    case .key: try await KeyedSerialTaskExecutor<Int>().enqueue(for: 1) { log("job") }
    case .write: try await CoalescingTaskExecutor<Int>().write { log("job") }
    case .prefetched: log(try await pages.value(for: 7) { -1 } == 1 ? "job" : "led")
    case .kept: log(try await token.value() == 1 ? "job" : "renewed")
    }
    log("after")
    await other.value
    #expect(log.entries == ["job", "after", "other"])
  }
}
