import SerialTasks
import Testing

/// A caller that finds its key free while jobs of other keys run has its turn at once, without claims.
///
/// A caller that comes then must find it as if it had them.
@Suite(.watched) struct FreeKeyTests {
  let executor = KeyedSerialTaskExecutor<String>(name: "accounts")

  /// Fails if: what such a caller has is not seen by jobs of its key, of a set with its key, or by who looks or drains.
  @Test func isSeenByAllThatComesLater() async throws {
    let ann = await Held(executor, "ann")
    let bob = await Held(executor, "bob")
    let cid = await Held(executor, "cid")
    #expect(executor.snapshot.running == 3)
    let (one, both) = (waiting(executor, "bob") { 1 }, waiting(executor, forAll: ["dan", "cid"]) { 2 })
    #expect(executor.snapshot.waiting == 2)
    #expect(executor.snapshot(for: "bob").runningJob == "holder" && executor.snapshot(for: "cid").waiting == 1)
    let eve = await Held(executor, "eve")
    let drained = Task.immediate { [executor] in try await executor.drain(for: "eve") }
    try await eve.release()
    try await drained.value
    try await bob.release()
    #expect(try await one.value == 1)
    #expect(executor.snapshot.waiting == 1)
    try await cid.release()
    #expect(try await both.value == 2)
    try await ann.release()
    #expect(executor.snapshot.running == 0 && executor.size.busy == 0)
  }

  /// Fails if: a job inside such a turn does not know it, or what it waits for has no name.
  @Test func isInsideItsOwnTurn() async throws {
    let ann = await Held(executor, "ann")
    try await executor.enqueue(for: "bob") {
      #expect(executor.isInJob(for: "bob") && !executor.isInJob(for: "ann"))
      do {
        try await executor.enqueue(for: "bob") {}
        Issue.record("it waited for itself")
      } catch JobRejection.deadlock(let deadlock) {
        #expect(deadlock.path == ["accounts[bob]", "accounts[bob]"])
      }
      #expect(try await executor.enqueue(for: "cid") { 1 } == 1)
    }
    try await ann.release()
  }

  /// Fails if: two such callers that wait for each other's keys hang, or neither is named.
  @Test func waitsForAnotherSuchCaller() async throws {
    let ann = await Held(executor, "ann")
    let gate = Gate()
    let bob = waiting(executor, "bob") { [executor] in
      await gate.pass()
      try await executor.enqueue(for: "cid") {}
    }
    await gate.arrived()
    try await executor.enqueue(for: "cid") {
      gate.open()
      try await until { executor.snapshot(for: "cid").waiting == 1 }
      do {
        try await executor.enqueue(for: "bob") {}
        Issue.record("both waited")
      } catch JobRejection.deadlock(let deadlock) {
        #expect(deadlock.path == ["accounts[bob]", "accounts[cid]", "accounts[bob]"])
      }
    }
    try await bob.value
    try await ann.release()
  }

  /// Guarantees, *Cost* of `KeyedSerialTaskExecutor`.
  ///
  /// Fails if: `enqueue` for a free key suspends.
  @Test @MainActor func aFreeKeyCostsNoSuspension() async throws {
    let log = Log<String>()
    let other = Task { @MainActor in log("other") }
    try await executor.enqueue(for: "ann") { log("job") }
    log("after")
    await other.value
    #expect(log.entries == ["job", "after", "other"])
  }
}
