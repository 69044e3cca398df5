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
