import SerialTasks
import Testing

/// What is reported to `onEvent`.
@Suite(.watched) struct EventTests {
  private static func reported(_ log: EventLog) -> [String] { log.entries.map(\.description) }

  @Test func aJobIsReportedFromItsArrivalToItsEnd() async throws {
    let log = EventLog()
    let executor = SerialTaskExecutor(name: "notes", capacity: 1) { log($0) }
    let held = await Held(executor)
    let call = waiting(executor, name: "save") {}
    await #expect(throws: JobRejection.self) { try await executor.enqueue(name: "late") {} }
    try await held.release()
    try await call.value
    await #expect(throws: CancellationError.self) {
      try await executor.enqueue(name: "bad") { throw CancellationError() }
    }
    #expect(
      Self.reported(log) == [
        "notes: holder began", "notes: save waits",
        "notes: late was rejected: The job was rejected: as many jobs already wait as the capacity allows (1).",
        "notes: holder finished", "notes: save began", "notes: save finished", "notes: bad began",
        "notes: bad failed: CancellationError()",
      ])
  }

  /// Every accepted job has one end, and places distinguish jobs.
  ///
  /// Fails if: a rejection is reported twice, by its cause and by the job's task.
  @Test func eachJobIsReportedOnce() async throws {
    let log = EventLog()
    let executor = SerialTaskExecutor { log($0) }
    executor.pause()
    let jobs = (0..<6).map { index in executor.submit { index } }
    jobs[1].cancel()
    jobs[1].cancel()
    executor.resume()
    try await executor.drain()
    executor.pause()
    executor.submit {}
    executor.cancelAll()
    executor.close()
    executor.submit {}
    var ends: [UInt64?: Int] = [:]
    for event in log.entries {
      switch event.kind {
      case .finished, .failed, .rejected: ends[event.place, default: 0] += 1
      case .waiting, .began, .joined, .served, .heldTooLong, .stalled, .replaced, .left: break
      }
    }
    #expect(ends.values.allSatisfy { $0 == 1 })
    #expect(ends.count == 8)
    #expect(log.entries.allSatisfy { $0.executor.hasPrefix("SerialTaskExecutor#") })
  }
}
