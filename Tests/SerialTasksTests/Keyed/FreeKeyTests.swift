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
    let (one, both) = (waiting(executor, "bob") { 1 }, waiting(executor, touching: ["dan", "cid"]) { 2 })
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
    #expect(executor.snapshot.running == 0 && executor.line.size.busy == 0)
  }

  /// Fails if: a snapshot names one of several jobs that run, or none although one does.
  @Test func theNameOfTheOnlyOne() async throws {
    let executor = KeyedSerialTaskExecutor<String>()
    let gates = ["a": Gate(), "b": Gate()]
    let jobs = gates.map { key, gate in executor.submit(for: key, name: key) { await gate.pass() } }
    for gate in gates.values { await gate.waitForArrivals() }
    #expect(executor.snapshot.running == 2 && executor.snapshot.runningJob == nil)
    gates["a"]!.open()
    try await executor.drain(for: "a")
    #expect(executor.snapshot.running == 1 && executor.snapshot.runningJob == "b")
    gates["b"]!.open()
    for job in jobs { try await job.value }
  }
}
