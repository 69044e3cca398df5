import SerialTasks
import TestWatch
import Testing

/// A job that waits for its own key is rejected; one that waits for another key is not.
@Suite(.watched) struct KeyedDeadlockTests {
  let executor = KeyedSerialTaskExecutor<String>(name: "accounts")

  private nonisolated(nonsending) func expectCycle(
    _ path: [String], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async {
    let error = await #expect(throws: JobRejection.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error == .deadlock(DeadlockError(path: path)), sourceLocation: sourceLocation)
  }

  /// Fails if: the label of a line is not that of the key it serves, or nothing looks for the cycle.
  @Test func withinOneKey() async throws {
    await expectCycle(["accounts[ann]", "accounts[ann]"]) {
      try await executor.enqueue(for: "ann") { try await executor.enqueue(for: "ann") {} }
    }
    await expectCycle(["accounts[bob]", "accounts[bob]"]) {
      try await executor.submit(for: "bob") { try await executor.enqueue(for: "bob") {} }.value
    }
    await expectCycle(["accounts[cid]", "accounts[cid]"]) {
      try await executor.enqueue(for: "cid") { try await executor.submit(for: "cid") {}.value }
    }
    try await executor.drain()
  }

  @Test(.enabled(if: childrenAreCertain)) func inAChildTask() async throws {
    await expectCycle(["accounts[ann]", "accounts[ann]"]) {
      try await executor.enqueue(for: "ann") {
        async let child: Void = executor.enqueue(for: "ann") {}
        try await child
      }
    }
  }

  /// Fails if: all keys are taken for one holder of turns.
  @Test func anotherKeyIsAllowed() async throws {
    let held = await HeldKey(executor, "bob")
    let nested = waiting(executor, "ann") { [executor] in try await executor.enqueue(for: "bob") { 1 } }
    #expect(executor.snapshot(for: "bob").waiting == 1)
    try await held.release()
    #expect(try await nested.value == 1)
  }

  /// Fails if: a cycle does not name what lies between.
  @Test func aCycleOfTwoKeysNamesBoth() async throws {
    await expectCycle(["accounts[ann]", "accounts[bob]", "accounts[ann]"]) {
      try await executor.enqueue(for: "ann") {
        try await executor.enqueue(for: "bob") { try await executor.enqueue(for: "ann") {} }
      }
    }
  }

  /// Fails if: `drain` from inside a job, of any key, waits for that job. (Then this hangs.)
  @Test func drainFromInsideAJob() async throws {
    await expectCycle(["accounts", "accounts[ann]", "accounts"]) {
      try await executor.enqueue(for: "ann") { try await executor.drain() }
    }
    await expectCycle(["accounts[ann]", "accounts[ann]"]) {
      try await executor.enqueue(for: "ann") { try await executor.drain(for: "ann") }
    }
    let other = SerialTaskExecutor(name: "other")
    await expectCycle(["accounts", "accounts[ann]", "other", "accounts"]) {
      try await executor.enqueue(for: "ann") { try await other.enqueue { try await executor.drain() } }
    }
  }

  /// Fails if: any job of any executor is taken for one of this executor's.
  @Test func drainFromInsideAJobOfAnother() async throws {
    let other = KeyedSerialTaskExecutor<String>(name: "other")
    let held = await HeldKey(executor, "ann")
    let drained = waiting(other, "ann") { [executor] in
      try await executor.drain()
      try await executor.drain(for: "bob")
    }
    try await held.release()
    try await drained.value
    try await executor.enqueue(for: "ann") { try await executor.drain(for: "bob") }
  }

  /// ```
  /// mine:   other ── drains all keys ····················· done
  /// ann:    ann ── gate ── other ✗ ── ends ann
  /// ```
  /// Fails if: a drain of all keys adds no edge.
  @Test func aJobThatWaitsForOneThatDrainsAllKeys() async throws {
    let (other, gate) = (SerialTaskExecutor(name: "other"), Gate())
    let ann = waiting(executor, "ann") {
      await gate.pass()
      try await other.enqueue {}
    }
    await gate.arrived()
    let mine = SerialTasksTests.waiting(other) { [executor] in try await executor.drain() }
    gate.open()
    // If no call is rejected, this ends it.
    try await until { other.snapshot.waiting == 1 || executor.size.busy == 0 }
    ann.cancel()
    await expectCycle(["other", "accounts", "accounts[ann]", "other"]) { try await ann.value }
    try await mine.value
  }

  /// An unstructured task that a job starts is a stranger.
  @Test func anUnstructuredTaskQueues() async throws {
    let task = try await executor.enqueue(for: "ann") {
      Task.immediate { try await executor.enqueue(for: "ann") { executor.isInJob(for: "ann") } }
    }
    #expect(try await task.value)
  }

  @Test func anUnnamedExecutorReadsAsItsTypeAnIdAndTheKey() async throws {
    let unnamed = KeyedSerialTaskExecutor<Int>()
    do { try await unnamed.enqueue(for: 7) { try await unnamed.enqueue(for: 7) {} } } catch JobRejection.deadlock(
      let deadlock)
    {
      #expect(deadlock.path.count == 2)
      #expect(deadlock.path.allSatisfy { $0.hasPrefix("KeyedSerialTaskExecutor#") && $0.hasSuffix("[7]") })
    }
  }

  /// Fails if: a job of one key is taken for one of another.
  @Test func isInJobSaysSo() async throws {
    #expect(!executor.isInJob(for: "ann"))
    try await executor.enqueue(for: "ann") {
      #expect(executor.isInJob(for: "ann"))
      #expect(!executor.isInJob(for: "bob"))
      executor.preconditionInJob(for: "ann")
      try await executor.enqueue(for: "bob") {
        #expect(executor.isInJob(for: "ann") && executor.isInJob(for: "bob"))
      }
      #expect(await Task { executor.isInJob(for: "ann") }.value == false)
    }
    #expect(try await executor.submit(for: "ann") { executor.isInJob(for: "ann") }.value)
  }

  /// Fails if: a job of one key counts as a job of another, or of none.
  @Test func aJobIsInsideItsOwnKeyAlone() async throws {
    let executor = KeyedSerialTaskExecutor<String>()
    let held = await HeldKey(executor, "bob")
    try await executor.enqueue(for: "ann") {
      #expect(executor.isInJob(for: "ann"))
      #expect(!executor.isInJob(for: "bob"), "another task has this turn")
      #expect(!executor.isInJob(for: "cid"), "no task has this turn")
      try await executor.enqueue(for: "cid") {
        #expect(executor.isInJob(for: "ann") && executor.isInJob(for: "cid"))
      }
    }
    #expect(!executor.isInJob(for: "ann"))
    try await held.release()
  }
}
