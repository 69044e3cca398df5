import CoalescingTasks
import Testing

/// Guarantees, *Order*, *Overlap* and *Memory* of `TaskCoalescer`: the first caller leads, callers that come while it
/// runs join, and no caller joins a flight that is over.
@Suite(.watched) struct FlightLeadingTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")

  /// *Join between completion and clean-up*, from the other side: the flight has landed, and its leader, whose main actor is
  /// busy, has not run a step since.
  /// ```
  /// leader  ├─ leads ──┼ landed ·············· 1 ┤
  /// late                      ├─ leads ─ 2 ┤
  /// ```
  /// Fails if: the entry of a flight is cleared by its leader when that goes on.
  @Test @MainActor func noCallerJoinsAFlightThatHasLanded() async throws {
    let leader = Task.immediate { @MainActor in try await coalescer.answer(for: 7, backend.fetch) }
    backend.gate.open()
    Cores.spin(while: coalescer.snapshot.running == 1)  // until another thread has landed it
    let late = Task.immediate { @MainActor in try await coalescer.answer(for: 7) { backend.call() } }
    #expect(try await leader.value == .led(1))
    #expect(try await late.value == .led(2))
  }

  /// Fails if: those who wait are resumed last in, first out.
  @Test func callersAreAnsweredInTheOrderInWhichTheyCame() async throws {
    let (log, thread) = (Log<Int>(), OneThread())
    let (coalescer, backend) = (coalescer, backend)
    let calls = (0..<10).map { index in
      thread.start {
        _ = try await coalescer.value(for: 7) { await backend.fetch() }
        log(index)
      }
    }
    try await thread.allHaveParked()
    backend.gate.open()
    for call in calls { try await call.value }
    #expect(log.entries == Array(0..<10))
  }

  /// Real threads: each caller that joins is counted by one that led.
  @Test func manyAtOnce() async throws {
    let led = try await withThrowingTaskGroup { group in
      for index in 0..<10_000 {
        group.addTask {
          try await coalescer.answer(for: index % 7) {
            await Task.yield()
            return backend.call()
          }
        }
      }
      return try await group.reduce(into: [Int]()) { led, answer in
        if answer.source == .led { led.append(answer.value) }
      }
    }
    #expect(led.sorted() == Array(1...backend.calls))
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
  }

  /// An operation that is not isolated may begin on its leader's thread, before the leader suspends.
  ///
  /// Fails if: a flight costs its leader a hop before the operation begins.
  @Test func anOperationBeginsAtOnce() async throws {
    let leader = asking(coalescer) { await backend.fetch() }
    #expect(backend.calls == 1)
    backend.gate.open()
    _ = try await leader.value
  }

  /// The markers of the jobs in which the leader runs are not the operation's.
  ///
  /// Fails if: an operation is taken for a part of its leader's turn.
  @Test func anOperationIsNotInItsLeadersJob() async throws {
    let executor = SerialTaskExecutor(name: "notes")
    let isInJob = TaskCoalescer<Int, Bool>()
    #expect(try await executor.enqueue { try await isInJob.value(for: 7) { executor.isInJob } } == false)
    #expect(
      try await executor.enqueue { try await isInJob.value(for: 7) { await Task { executor.isInJob }.value } } == false)
  }
}
