import SerialTasks
import Testing

/// Guarantees, *Order* and *Overlap* of `SerialTaskExecutor`: jobs run one at a time, strictly in the order of their
/// places.
@Suite(.watched) struct OrderTests {
  /// ```
  /// held    ├──────── runs ────────┤
  /// 0, 1 …       ├─ wait ──────────┼─ 0 ─┼─ 1 ─┼─ 2 …
  /// ```
  /// Fails if: a waiter is linked in at the head, or the tail is granted first.
  @Test func callersRunInTheOrderOfTheirPlaces() async throws {
    let held = await Held()
    let log = Log<Int>()
    let calls = (0..<100).map { index in
      waiting(held.executor) {
        await Task.yield()
        log(index)
      }
    }
    #expect(held.executor.snapshot.waiting == 100)
    try await held.release()
    for call in calls { try await call.value }
    #expect(log.entries == Array(0..<100))
  }

  /// Places of `submit` and `enqueue` are in one line.
  ///
  /// Fails if: submitted jobs take their place when their task first runs, and not before `submit` returns.
  @Test func submittedJobsAndCallersStandInOneLine() async throws {
    let held = await Held()
    let log = Log<Int>()
    let calls = (0..<50).map { index in
      held.executor.submit { log(2 * index) }
      return waiting(held.executor) { log(2 * index + 1) }
    }
    try await held.release()
    for call in calls { try await call.value }
    #expect(log.entries == Array(0..<100))
  }

  /// Fails if: `submit` onto a free line runs its jobs as tasks that race.
  @Test func submittedInARowRunInARow() async throws {
    let executor = SerialTaskExecutor()
    let log = Log<Int>()
    for index in 0..<1_000 { executor.submit { log(index) } }
    try await executor.drain()
    #expect(log.entries == Array(0..<1_000))
  }

  /// Fails if: a more urgent waiter is put in front of one that came earlier.
  @Test func priorityNeverReorders() async throws {
    let held = await Held()
    let log = Log<String>()
    let low = waiting(held.executor, priority: .background) { log("low") }
    let high = waiting(held.executor, priority: .high) { log("high") }
    held.executor.submit(priority: .low) { log("submitted low") }
    held.executor.submit(priority: .userInitiated) { log("submitted high") }
    try await held.release()
    try await low.value
    try await high.value
    try await held.executor.drain()
    #expect(log.entries == ["low", "high", "submitted low", "submitted high"])
  }

  /// Fails if: the turn is handed on when a job suspends, as an actor does.
  @Test func oneAtATimeAcrossEveryAwait() async throws {
    let executor = SerialTaskExecutor()
    let exclusion = Exclusion()
    try await withThrowingTaskGroup { group in
      for _ in 0..<200 {
        group.addTask {
          try await executor.enqueue {
            exclusion.enter()
            for _ in 0..<3 { await Task.yield() }
            exclusion.leave()
          }
        }
        executor.submit {
          exclusion.enter()
          await Task.yield()
          exclusion.leave()
        }
      }
      try await group.waitForAll()
    }
    try await executor.drain()
    #expect(exclusion.most == 1)
    #expect(exclusion.entries == 400)
  }
}
