import SerialTasks
import Testing

/// Guarantees, *Order*, *Overlap* and *Memory* of `TaskCoalescer`: the first caller leads, callers that come while it
/// runs join, and no caller joins a flight that is over.
@Suite(.watched) struct FlightLeadingTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")

  /// ```
  /// leader  ├─ leads ──────── 1 ┤
  /// others     ├─ join ────── 1 ┤  three of them
  /// ```
  /// Fails if: a caller that finds a flight starts another, or is answered as if it had led.
  @Test func thoseWhoComeMeanwhileJoin() async throws {
    let leader = asking(coalescer) { await backend.fetch() }
    let joiners = (1...3).map { _ in asking(coalescer) { await backend.fetch() } }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 4, running: 1, stored: 0))
    backend.gate.open()
    #expect(try await leader.value == .led(1))
    for joiner in joiners { #expect(try await joiner.value == .joined(1)) }
    #expect(backend.calls == 1)
  }

  @Test func keysFlyAtTheSameTime() async throws {
    let calls = (0..<100).map { key in asking(coalescer, key) { await backend.fetch() } }
    #expect(backend.calls == 100)
    backend.gate.open()
    for call in calls { #expect(try await call.value.source == .led) }
  }

  /// Fails if: what a flight returned is kept for those who come later.
  @Test func nothingIsKept() async throws {
    #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(1))
    #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(2))
    #expect(try await coalescer.value(for: 7) { backend.call() } == 3)
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
  }

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

  /// *Join between completion and clean-up*: the operation has returned, and the flight has not landed.
  ///
  /// Fails if: a flight takes its callers out before it ends its entry, in two steps.
  @Test func aCallerThatComesBeforeTheCleanUpIsAnswered() async throws {
    let late = Log<Task<CoalescedAnswer<Int>, any Error>>()
    let own = Log<TaskCoalescer<Int, Int>>()
    let coalescer = TaskCoalescer<Int, Int> { event in
      if case .finished = event.kind, late.entries.isEmpty { late(asking(own.entries[0]) { -1 }) }
    }
    own(coalescer)
    let leader = asking(coalescer) { await backend.fetch() }
    backend.gate.open()
    #expect(try await leader.value == .led(1))
    #expect(try await late.entries[0].value == .joined(1))
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
