import SerialTasks
import Testing

/// README, *Lifecycle*: over all keys, and of one.
@Suite(.watched) struct KeyedLifecycleTests {
  let executor = KeyedSerialTaskExecutor<String>(name: "accounts")
  let log = Log<String>()

  /// Fails if: a pause forgets the keys that are busy, or those that come later.
  @Test func pausedNothingStartsOfWhicheverKey() async throws {
    let held = await HeldKey(executor, "ann")
    let ann = waiting(executor, "ann") { [log] in log("ann") }
    executor.pause()
    let bob = waiting(executor, "bob") { [log] in log("bob") }
    executor.submit(for: "cid") { [log] in log("cid") }
    try await held.release()
    #expect(executor.snapshot == snapshot(waiting: 3, isPaused: true))
    #expect(executor.snapshot(for: "ann").isPaused && executor.snapshot(for: "nobody").isPaused)
    #expect(log.entries.isEmpty)
    executor.resume()
    try await ann.value
    try await bob.value
    try await executor.drain()
    #expect(Set(log.entries) == ["ann", "bob", "cid"])
    #expect(executor.snapshot == snapshot())
  }

  /// Fails if: a line that waits for its next key is not paused with the others, or stays paused when they go on.
  @Test func aLineThatIsUsedAgainIsAsAllOthersAre() async throws {
    try await executor.enqueue(for: "ann") {}
    executor.pause()
    let bob = waiting(executor, "bob") { [log] in log("bob") }
    #expect(executor.snapshot(for: "bob").waiting == 1)
    executor.resume()
    try await bob.value
    executor.pause()
    executor.resume()
    try await executor.enqueue(for: "cid") { [log] in log("cid") }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.enqueue(for: "dan") {} }
    #expect(log.entries == ["bob", "cid"])
  }

  /// Fails if: a close forgets the keys that are busy, or those that come later.
  @Test func closedTheQueuedStillRun() async throws {
    let held = await HeldKey(executor, "ann")
    let queued = waiting(executor, "ann") { [log] in log("queued") }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.enqueue(for: "ann") {} }
    await #expect(throws: JobRejection.closed) { try await executor.enqueue(for: "bob") {} }
    await #expect(throws: JobRejection.closed) { try await executor.submit(for: "cid") {}.value }
    try await held.release()
    try await queued.value
    try await executor.drain()
    #expect(log.entries == ["queued"])
    #expect(executor.snapshot.isClosed && executor.snapshot(for: "ann").isClosed)
  }

  /// Fails if: `cancelAll` forgets a key, or the running submitted jobs, or touches a caller's own task.
  @Test func cancelAllWithdrawsTheQueuedOfEveryKey() async throws {
    let gate = Gate()
    let job: @Sendable () async -> Bool = {
      await gate.pass()
      return Task.isCancelled
    }
    let ann = executor.submit(for: "ann", job)
    let bob = waiting(executor, "bob", job)
    await gate.arrived(2)
    let queued = waiting(executor, "ann") {}
    let submitted = executor.submit(for: "bob") {}
    executor.cancelAll()
    await #expect(throws: JobRejection.withdrawn) { try await queued.value }
    await #expect(throws: JobRejection.withdrawn) { try await submitted.value }
    gate.open()
    #expect(try await ann.value)
    #expect(try await !bob.value)
    #expect(try await executor.enqueue(for: "ann") { 3 } == 3)
  }

  /// While the jobs of one key are reported, no job of another begins; keys are reported in the order in which they got busy.
  ///
  /// Fails if: keys are cleared one after the other, or in the order of a dictionary.
  @Test func cancelAllClearsAllKeysInOneStep() async throws {
    let box = Log<KeyedSerialTaskExecutor<Int>>()
    let executor = KeyedSerialTaskExecutor<Int>(name: "keys") { [log] event in
      guard case .rejected(.withdrawn) = event.kind else { return }
      log("\(event.executor), \(box.entries[0].snapshot.waiting) wait")
    }
    box(executor)
    executor.pause()
    for key in [3, 1, 4, 15, 9, 2, 6] { executor.submit(for: key) {} }
    executor.cancelAll()
    #expect(log.entries == [3, 1, 4, 15, 9, 2, 6].map { "keys[\($0)], 0 wait" })
    executor.close()
    try await executor.drain()
  }

  /// Fails if: `cancelAll(for:)` reaches another key.
  @Test func cancelAllOfOneKeyLeavesTheOthersAlone() async throws {
    let (ann, bob) = (await HeldKey(executor, "ann"), await HeldKey(executor, "bob"))
    let withdrawn = waiting(executor, "ann") {}
    let kept = executor.submit(for: "bob") { 1 }
    executor.cancelAll(for: "ann")
    executor.cancelAll(for: "nobody")
    await #expect(throws: JobRejection.withdrawn) { try await withdrawn.value }
    try await ann.release()
    try await bob.release()
    #expect(try await kept.value == 1)
  }

  /// The log-out: after `drain()` nothing lands, completion handlers included.
  ///
  /// Fails if: a key whose jobs are still being reported counts as idle.
  @Test func afterCancelAllAndDrainNothingLands() async throws {
    for _ in 0..<100 {
      let executor = KeyedSerialTaskExecutor<Int>()
      for index in 0..<20 {
        executor.submit(for: index % 4) { await Task.yield() }.whenComplete { [log] _ in log("\(index)") }
      }
      executor.close()
      executor.cancelAll()
      try await executor.drain()
      let landed = log.entries.count
      await Task.yield()
      #expect(log.entries.count == landed)
    }
    #expect(log.entries.count == 2_000)
  }

  /// Jobs that come during the drain are waited for, of other keys too.
  ///
  /// Fails if: `drain` waits one after the other for the keys that are busy when it is called.
  @Test func drainWaitsForAllThatWaitsAndRuns() async throws {
    let ann = await HeldKey(executor, "ann")
    let bob = await HeldKey(executor, "bob")
    let drained = Task.immediate { [executor, log] in
      try await executor.drain()
      log("drained")
    }
    let cid = await HeldKey(executor, "cid")
    executor.submit(for: "dan") { [log] in log("dan") }
    try await ann.release()
    try await bob.release()
    try await executor.drain(for: "dan")
    #expect(log.entries == ["dan"])
    try await cid.release()
    try await drained.value
    #expect(log.entries == ["dan", "drained"])
    try await executor.drain()
  }

  /// Fails if: `drain(for:)` waits for another key.
  @Test func drainOfOneKeyWaitsForNoOther() async throws {
    let (ann, bob) = (await HeldKey(executor, "ann"), await HeldKey(executor, "bob"))
    let drained = Task.immediate { [executor, log] in
      try await executor.drain(for: "ann")
      log("drained")
    }
    #expect(log.entries.isEmpty)
    try await ann.release()
    try await drained.value
    #expect(executor.snapshot.running == 1)
    try await bob.release()
    try await executor.drain(for: "bob")
  }

  /// A paused executor whose last waiter leaves is idle.
  ///
  /// Fails if: only the end of a job lets go of those who drain.
  @Test func drainEndsWhenTheLastWaiterLeavesAPausedExecutor() async throws {
    executor.pause()
    let job = executor.submit(for: "ann") {}
    let drained = Task.immediate { [executor] in try await executor.drain() }
    job.cancel()
    try await drained.value
    #expect(executor.size.busy == 0)
  }

  private func snapshot(waiting: Int = 0, running: Int = 0, isPaused: Bool = false) -> KeyedExecutorSnapshot {
    KeyedExecutorSnapshot(
      waiting: waiting, running: running, isPaused: isPaused, isClosed: false, capacityPerKey: nil)
  }
}
