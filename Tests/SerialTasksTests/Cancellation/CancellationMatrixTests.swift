import SerialTasks
import Testing

/// Guarantees, *Cancelled before the call* to *Cancelled while running* of `SerialTaskExecutor`: at each of five moments,
/// for each way of waiting.
///
/// | | before | waiting | granted, not begun | running | done |
/// |---|---|---|---|---|---|
/// | `enqueue` | no place | leaves | turn passed on | sees it | nothing |
/// | `submit` | runs | leaves | turn passed on | sees it | nothing |
/// | `drain` | leaves | leaves | – | – | nothing |
@Suite(.watched) struct CancellationMatrixTests {
  let log = Log<String>()

  // MARK: enqueue

  /// Fails if: `enqueue` does not ask whether its task is cancelled before it takes the turn.
  @Test func enqueueBefore() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let call = Task {
      await gate.pass()
      try await executor.enqueue { log("ran") }
    }
    call.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(log.entries.isEmpty)
    #expect(!executor.snapshot.isRunning)
  }

  /// The caller leaves at once, long before its turn; those behind it move up.
  ///
  /// Fails if: a cancelled waiter is only noticed when its turn comes.
  @Test func enqueueWaiting() async throws {
    let held = await Held()
    let first = waiting(held.executor) { log("first") }
    let second = waiting(held.executor) { log("second") }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(held.executor.snapshot.waiting == 1)
    try await held.release()
    try await second.value
    #expect(log.entries == ["second"])
  }

  /// The caller has been granted the turn and resumed, but has not run a step: the main actor, on which it would, is busy.
  ///
  /// Fails if: a cancelled caller that was granted its turn begins, or keeps the turn.
  @Test @MainActor func enqueueGranted() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let holder = Task.detached { try await executor.enqueue { await gate.pass() } }
    await gate.arrived()
    let granted = Task.immediate { @MainActor in try await executor.enqueue { log("granted") } }
    let next = executor.submit { log("next") }
    gate.open()
    Cores.spin(while: executor.snapshot.waiting == 2)  // until another thread has granted it the turn
    granted.cancel()
    await #expect(throws: CancellationError.self) { try await granted.value }
    try await next.value
    try await holder.value
    #expect(log.entries == ["next"])
  }

  @Test func enqueueRunning() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let call = waiting(executor) {
      await gate.pass()
      return Task.isCancelled
    }
    call.cancel()
    gate.open()
    #expect(try await call.value)
  }

  @Test func enqueueDone() async throws {
    let executor = SerialTaskExecutor()
    let call = waiting(executor) { 1 }
    #expect(try await call.value == 1)
    call.cancel()
    #expect(try await executor.enqueue { 2 } == 2)
  }

  // MARK: submit

  /// `submit` is like `Task.init`: it does not ask whether the task that calls it is cancelled.
  @Test func submitBefore() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let submitter = Task {
      await gate.pass()
      return executor.submit { Task.isCancelled }
    }
    submitter.cancel()
    gate.open()
    #expect(try await submitter.value.value == false)
  }

  /// Fails if: a cancelled job waits for its turn to be rejected.
  @Test func submitWaiting() async throws {
    let held = await Held()
    let job = held.executor.submit { log("ran") }
    job.cancel()
    #expect(held.executor.snapshot.waiting == 0)
    #expect(job.isCancelled)
    await #expect(throws: CancellationError.self) { try await job.value }
    try await held.release()
    try await held.executor.drain()
    #expect(log.entries.isEmpty)
  }

  /// The job's task has been made or resumed, and has not run a step.
  ///
  /// Fails if: cancelling between the grant and the beginning is taken for cancelling a running job.
  @Test func submitGranted() async throws {
    for _ in 0..<500 {
      let executor = SerialTaskExecutor()
      let log = Log<String>()
      let job = executor.submit { log(Task.isCancelled ? "saw it" : "ran before it") }
      job.cancel()
      switch await job.result {
      case .success: #expect(log.entries.count == 1)
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(log.entries.isEmpty)
      }
      #expect(try await executor.enqueue { 1 } == 1)
    }
  }

  @Test func submitRunning() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let job = executor.submit {
      await gate.pass()
      return Task.isCancelled
    }
    await gate.arrived()
    job.cancel()
    gate.open()
    #expect(try await job.value)
    #expect(job.isCancelled)
  }

  @Test func submitDone() async throws {
    let executor = SerialTaskExecutor()
    let job = executor.submit { 1 }
    #expect(try await job.value == 1)
    job.cancel()
    #expect(try await job.value == 1)
  }

  // MARK: drain

  @Test func drainBefore() async throws {
    let held = await Held()
    let gate = Gate()
    let drain = Task {
      await gate.pass()
      try await held.executor.drain()
    }
    drain.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await drain.value }
    try await held.release()
  }

  /// Fails if: a caller of `drain` cannot leave.
  @Test func drainWaiting() async throws {
    let held = await Held()
    let drain = Task.immediate { try await held.executor.drain() }
    let other = Task.immediate { try await held.executor.drain() }
    drain.cancel()
    await #expect(throws: CancellationError.self) { try await drain.value }
    try await held.release()
    try await other.value
  }

  /// An idle executor is drained, for a cancelled task too.
  @Test func drainDone() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let drain = Task {
      await gate.pass()
      try await executor.drain()
    }
    drain.cancel()
    gate.open()
    try await drain.value
  }
}
