import SerialTasks
import Testing

/// README, *Lifecycle* and *Nothing lost*: reads that share a turn.
@Suite(.watched) struct ReadLifecycleTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()
  let log = Log<String>()

  /// Fails if: a pause lets a waiting read begin, ends one that runs, or refuses a joiner of that.
  @Test func pausedNothingBegins() async throws {
    let running = reading(executor, "a") { await backend.fetch() }
    executor.pause()
    let joiner = reading(executor, "a") { await backend.fetch() }
    let beside = reading(executor, "b") { [log] in log("beside") }
    let write = writing(executor) { [log] in log("write") }
    let behind = reading(executor, "b") { [log] in log("behind") }
    #expect(executor.counts == [3, 1] && executor.snapshot.isPaused)
    backend.gate.open()
    #expect(try await running.value == 1)
    #expect(try await joiner.value == 1)
    #expect(executor.counts == [3, 0] && log.entries.isEmpty)
    executor.resume()
    for task in [beside, write, behind] { try await task.value }
    #expect(log.entries == ["beside", "write", "behind"])
  }

  /// A free line that is paused: reads gather, and go on together.
  @Test func resumedTheBatchBeginsTogether() async throws {
    executor.pause()
    let reads = ["a", "b", "a"].map { key in reading(executor, key) { await backend.fetch() } }
    #expect(executor.counts == [2, 0])
    executor.resume()
    await backend.gate.arrived(2)
    #expect(executor.counts == [0, 2])
    backend.gate.open()
    for read in reads { _ = try await read.value }
  }

  /// Fails if: a caller may still join where no read may still come.
  @Test func closedNoCallerJoins() async throws {
    let running = reading(executor, "a") { await backend.fetch() }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.read("a") { 0 } }
    backend.gate.open()
    #expect(try await running.value == 1)
  }

  /// Fails if: a closed executor rejects what waits or what is read inside a turn.
  @Test func closedNoCallerComesIn() async throws {
    let running = reading(executor, "a") {
      let outer = await backend.fetch()
      return outer + (try await executor.read("b") { 10 })
    }
    let write = writing(executor) { [log] in log("write") }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.read("a") { 0 } }
    await #expect(throws: JobRejection.closed) { try await executor.write {} }
    await #expect(throws: JobRejection.closed) { try await executor.submitWrite {}.value }
    backend.gate.open()
    #expect(try await running.value == 11)
    try await write.value
    try await executor.drain()
    #expect(executor.snapshot.isClosed)
  }

  /// Fails if: a waiting read or one of its joiners is not withdrawn, a running read is not cancelled, a caller that comes
  /// later joins what was cancelled, or a write of a caller's own task is touched.
  @Test func cancelAllWithdrawsAndCancels() async throws {
    let executor = CoalescingTaskExecutor<String>(name: "notes", maximumConcurrentReads: 1)
    let running = reading(executor, "a") { await backend.fetch() }
    let waiting = ["b", "b", "c"].map { key in reading(executor, key) { backend.call() } }
    let write = writing(executor) {}
    let submitted = executor.submitWrite {}
    let behind = reading(executor, "a") { backend.call() }
    executor.cancelAll()
    #expect(executor.counts == [0, 1])
    for read in waiting + [behind] { await #expect(throws: JobRejection.withdrawn) { try await read.value } }
    await #expect(throws: JobRejection.withdrawn) { try await write.value }
    await #expect(throws: JobRejection.withdrawn) { try await submitted.value }
    let later = reading(executor, "a") { 10 * backend.call() }
    #expect(executor.counts == [1, 1])
    backend.gate.open()
    #expect(try await running.value == 1)
    #expect(try await later.value == 20)
    #expect(backend.cancelled == [1])
  }

  /// What a read does before its first suspension it does inside the call, before anybody knows its task.
  ///
  /// Fails if: a read that `cancelAll` finds without a task goes on.
  @Test func aReadThatCancelsAllIsCancelled() async throws {
    let gate = Gate()
    let read = reading(executor, "a") { [executor] in
      executor.cancelAll()
      await gate.pass()
      return Task.isCancelled
    }
    gate.open()
    #expect(try await read.value)
  }

  /// Fails if: a line is idle while a withdrawal is still being reported, or while a cancelled read winds down.
  @Test func afterCancelAllAndDrainNothingLands() async throws {
    for round in 0..<100 {
      let executor = CoalescingTaskExecutor<Int>(maximumConcurrentReads: round % 3 == 0 ? nil : round % 3)
      let tasks = (0..<20).map { index in
        Task {
          let job: @Sendable () async -> Void = { [log] in
            await Task.yield()
            log("landed")
          }
          if index % 5 == 0 { try await executor.write(job) } else { try await executor.read(index % 3, job) }
        }
      }
      for _ in 0..<round % 7 { await Task.yield() }
      executor.close()
      executor.cancelAll()
      try await executor.drain()
      let landed = log.entries.count
      for task in tasks { _ = await task.result }
      #expect(log.entries.count == landed)
    }
  }

  /// Fails if: `drain` returns while reads run or wait, or when only some of them have ended.
  @Test func drainWaitsForEveryRead() async throws {
    try await executor.drain()
    let held = [await HeldJob.reading(executor, "a"), await HeldJob.reading(executor, "b")]
    let drained = Task.immediate { [executor, log] in
      try await executor.drain()
      log("drained")
    }
    let left = Task.immediate { [executor] in try await executor.drain() }
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    let write = writing(executor) { [log] in log("write") }
    try await held[0].release()
    #expect(log.entries.isEmpty)
    try await held[1].release()
    try await write.value
    try await drained.value
    #expect(log.entries == ["write", "drained"])
  }

  /// Fails if: joiners count, reads or writes do not, or the job that has the turn does.
  @Test func capacityCountsReadsAndWritesButNoJoiners() async throws {
    let executor = CoalescingTaskExecutor<String>(maximumConcurrentReads: 1, capacity: 2)
    let held = await HeldJob.reading(executor, "held")
    let full = JobRejection.full(capacity: 2)
    let first = reading(executor, "a") { backend.call() }
    let write = writing(executor) {}
    await #expect(throws: full) { try await executor.read("a") { 0 } }
    await #expect(throws: full) { try await executor.write {} }
    await #expect(throws: full) { try await executor.submitWrite {}.value }
    write.cancel()
    await #expect(throws: CancellationError.self) { try await write.value }
    let joiners = (0..<3).map { _ in reading(executor, "a") { backend.call() } }
    let second = reading(executor, "b") { backend.call() }
    await #expect(throws: full) { try await executor.read("c") { 0 } }
    #expect(executor.snapshot.waiting == 2)
    try await held.release()
    #expect(try await first.value == 1)
    for joiner in joiners { #expect(try await joiner.value == 1) }
    #expect(try await second.value == 2)
  }

  /// Fails if: a read that finds room, or a free line, is counted as one that waits.
  @Test func withoutALimitReadsBesideEachOtherNeverWait() async throws {
    let executor = CoalescingTaskExecutor<Int>(capacity: 1)
    let gate = Gate()
    let reads = (0..<10).map { key in reading(executor, key) { await gate.pass() } }
    #expect(executor.snapshot.reading == 10)
    gate.open()
    for read in reads { try await read.value }
  }

  /// No task is left that could resume it, and nothing may be lost.
  ///
  /// (A read holds the executor by its caller, so only submitted writes can be left behind.)
  ///
  /// Fails if: an executor does not end its pause when it is released, or a waiting job does not keep what it needs alive.
  @Test(arguments: [false, true]) func anExecutorThatIsReleasedRunsItsJobs(isPaused: Bool) async throws {
    weak var released: CoalescingTaskExecutor<String>?
    let gate = Gate()
    let jobs: [SubmittedJob<Int, any Error>]
    do {
      let executor = CoalescingTaskExecutor<String>()
      released = executor
      if isPaused { executor.pause() }
      executor.submitWrite { await gate.pass() }
      let read = reading(executor, "a") { 0 }
      jobs = (1...2).map { value in executor.submitWrite { value } }
      read.cancel()
      await #expect(throws: CancellationError.self) { try await read.value }
    }
    try await until { released == nil }
    gate.open()
    for (job, value) in zip(jobs, 1...2) { #expect(try await job.value == value) }
  }

  @Test func theSnapshotSaysWhatIsGoingOn() async throws {
    let executor = CoalescingTaskExecutor<String>(name: "notes", maximumConcurrentReads: 2, capacity: 9)
    #expect(executor.name == "notes")
    let held = await HeldJob.writing(executor)
    let reads = ["a", "b", "c"].map { key in reading(executor, key) { await backend.fetch() } }
    var snapshot = executor.snapshot
    #expect(snapshot.isWriting && snapshot.reading == 0 && snapshot.waiting == 3)
    #expect(snapshot.maximumConcurrentReads == 2 && snapshot.capacity == 9)
    #expect(!snapshot.isPaused && !snapshot.isClosed)
    try await held.release()
    await backend.gate.arrived(2)
    snapshot = executor.snapshot
    #expect(!snapshot.isWriting && snapshot.reading == 2 && snapshot.waiting == 1)
    backend.gate.open()
    for read in reads { _ = try await read.value }
  }
}
