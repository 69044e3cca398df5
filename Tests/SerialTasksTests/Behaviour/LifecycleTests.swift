import SerialTasks
import Testing

/// README, *Lifecycle*: `pause`, `resume`, `close`, `cancelAll`, `drain` and a capacity.
@Suite(.watched) struct LifecycleTests {
  @Test func pausedNothingStarts() async throws {
    let held = await Held()
    let executor = held.executor
    let log = Log<Int>()
    let first = waiting(executor) { log(1) }
    executor.pause()
    try await held.release()
    executor.submit { log(2) }
    #expect(executor.snapshot.isPaused)
    #expect(!executor.snapshot.isRunning)
    #expect(executor.snapshot.waiting == 2)
    #expect(log.entries.isEmpty)
    executor.resume()
    try await first.value
    try await executor.drain()
    #expect(log.entries == [1, 2])
  }

  /// The turn was granted but the job had not begun when the line was paused: it waits again, still as the first.
  ///
  /// Fails if: `begin` does not ask whether the line is paused.
  @Test @MainActor func pausedBetweenGrantAndBeginNothingStarts() async throws {
    let executor = SerialTaskExecutor()
    let log = Log<Int>()
    let gate = Gate()
    let first = Task.detached { try await executor.enqueue { await gate.pass() } }
    await gate.arrived()
    // This caller parks on the main actor, which this test does not leave until it says so.
    let second = Task.immediate { @MainActor in try await executor.enqueue { log(2) } }
    executor.submit { log(3) }
    gate.open()
    Cores.spin(while: executor.snapshot.waiting == 2)  // until another thread has granted the second its turn
    executor.pause()
    try await first.value
    await Task { @MainActor in }.value  // the second has been resumed by now, and put back
    #expect(log.entries.isEmpty)
    #expect(executor.snapshot.waiting == 2)
    executor.resume()
    try await second.value
    try await executor.drain()
    #expect(log.entries == [2, 3])
  }

  @Test func closedTheQueuedStillRun() async throws {
    let held = await Held()
    let log = Log<Int>()
    let queued = waiting(held.executor) { log(1) }
    held.executor.submit { log(2) }
    held.executor.close()
    await #expect(throws: JobRejection.closed) { try await held.executor.enqueue { log(3) } }
    try await held.release()
    try await queued.value
    try await held.executor.drain()
    #expect(log.entries == [1, 2])
    #expect(held.executor.snapshot.isClosed)
  }

  /// Fails if: only callers that would have to wait are rejected.
  @Test func aClosedFreeLineLetsNoCallerIn() async throws {
    let executor = SerialTaskExecutor()
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.enqueue {} }
    await #expect(throws: JobRejection.closed) { try await executor.submit {}.value }
    try await executor.drain()
  }

  /// Fails if: `cancelAll` forgets the running submitted job, or touches a caller's own task.
  @Test func cancelAllWithdrawsTheQueuedAndCancelsTheRunningSubmitted() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let running = executor.submit {
      await gate.pass()
      return Task.isCancelled
    }
    await gate.arrived()
    let queued = waiting(executor) { 1 }
    let submitted = executor.submit { 2 }
    executor.cancelAll()
    await #expect(throws: JobRejection.withdrawn) { try await queued.value }
    await #expect(throws: JobRejection.withdrawn) { try await submitted.value }
    #expect(running.isCancelled)
    gate.open()
    #expect(try await running.value)
    #expect(try await executor.enqueue { 3 } == 3)
  }

  @Test func cancelAllLeavesARunningCallerAlone() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let running = waiting(executor) {
      await gate.pass()
      return Task.isCancelled
    }
    executor.cancelAll()
    gate.open()
    #expect(try await running.value == false)
  }

  /// The log-out: after `drain()` nothing lands, completion handlers included.
  ///
  /// Fails if: a withdrawn job calls its handlers from its own task, some time after `cancelAll`.
  @Test func afterCancelAllAndDrainNothingLands() async throws {
    for _ in 0..<100 {
      let executor = SerialTaskExecutor()
      let log = Log<Int>()
      for index in 0..<20 {
        executor.submit { await Task.yield() }.whenComplete { _ in log(index) }
      }
      executor.close()
      executor.cancelAll()
      try await executor.drain()
      let landed = log.entries.count
      #expect(landed == 20)
      await Task.yield()
      #expect(log.entries.count == landed)
    }
  }

  @Test func drainWaitsForAllThatWaitsAndRuns() async throws {
    let held = await Held()
    let log = Log<String>()
    held.executor.submit { log("job") }
    let drained = Task.immediate {
      try await held.executor.drain()
      log("drained")
    }
    try await held.release()
    try await drained.value
    #expect(log.entries == ["job", "drained"])
    try await held.executor.drain()
  }

  /// A paused line that loses its last waiter is idle.
  ///
  /// Fails if: only the end of a job lets go of those who drain.
  @Test func drainEndsWhenTheLastWaiterLeavesAPausedLine() async throws {
    let executor = SerialTaskExecutor()
    executor.pause()
    let job = executor.submit {}
    let drained = Task.immediate { try await executor.drain() }
    job.cancel()
    try await drained.value
  }

  /// Fails if: the capacity is off by one, or counts the running job.
  @Test(arguments: [1, 2, 5]) func capacityIsTheMostThatMayWait(capacity: Int) async throws {
    let held = await Held(SerialTaskExecutor(capacity: capacity))
    let executor = held.executor
    let accepted = (0..<capacity).map { index in executor.submit { index } }
    await #expect(throws: JobRejection.full(capacity: capacity)) { try await executor.submit { -1 }.value }
    await #expect(throws: JobRejection.full(capacity: capacity)) { try await executor.enqueue { -1 } }
    accepted[0].cancel()
    let late = executor.submit { 100 }
    try await held.release()
    #expect(try await late.value == 100)
    for (index, job) in accepted.enumerated().dropFirst() { #expect(try await job.value == index) }
  }

  @Test func aSnapshotTellsWhatIsGoingOn() async throws {
    let held = await Held(SerialTaskExecutor(name: "notes", capacity: 9))
    let call = waiting(held.executor) {}
    let snapshot = held.executor.snapshot
    #expect(snapshot.waiting == 1)
    #expect(snapshot.isRunning)
    #expect(snapshot.running == "holder")
    #expect(snapshot.capacity == 9)
    #expect(held.executor.name == "notes")
    try await held.release()
    try await call.value
    #expect(!held.executor.snapshot.isRunning)
  }

  /// `drain` waits until all rejections have been reported.
  ///
  /// ```
  /// thread   ├ cancel ── handler ───────────┤
  /// drain              ├─ waits ────────────┼┤
  /// ```
  /// Fails if: a line counts as idle as soon as its last waiter has left it.
  @Test func drainWaitsForThoseWhoAreBeingTold() async throws {
    let executor = SerialTaskExecutor()
    executor.pause()
    let log = Log<String>()
    let job = executor.submit {}
    let drained = Drained()
    job.whenComplete { _ in
      // Inside the handler the line is not drained, in whichever task.
      drained.start(executor) { log("drained") }
      log("told")
    }
    job.cancel()
    try await drained.wait()
    #expect(log.entries == ["told", "drained"])
  }

  /// A task that drains, started from where nothing can be awaited.
  private final class Drained: Sendable {
    private let task = Log<Task<Void, any Error>>()

    func start(_ executor: SerialTaskExecutor, then body: @escaping @Sendable () -> Void) {
      task(
        Task.immediate {
          try await executor.drain()
          body()
        })
    }

    func wait() async throws { for task in task.entries { try await task.value } }
  }

  /// No task is left that could resume it, and nothing may be lost.
  ///
  /// Fails if: an executor does not end its pause when it is released. (Then this hangs.)
  @Test func aPausedExecutorThatIsReleasedRunsItsJobs() async {
    let done = Gate()
    do {
      let executor = SerialTaskExecutor()
      executor.pause()
      executor.submit { done.open() }
    }
    await done.pass()
  }
}
