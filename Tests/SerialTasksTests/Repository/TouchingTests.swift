import CoalescingTasks
import Testing

/// Reads and writes wait only for what touches their keys.
@Suite(.watched) struct TouchingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  /// Fails if: an empty set waits for a write of some keys, or runs beside one of every key; or it escapes pausing or closing.
  @Test func anEmptySetTouchesNoKey() async throws {
    let gate = Gate()
    let held = writing(executor, touching: ["a"]) { await gate.pass() }
    await gate.arrived()
    #expect(try await executor.write(touching: []) { 1 } == 1)
    #expect(try await executor.submitWrite(touching: []) { 2 }.value == 2)
    #expect(try await executor.submitWrite(latest: "a", touching: []) { 3 }.value == 3)
    executor.submitWrite { [log] in log("every key") }
    let behind = executor.submitWrite(touching: []) { [log] in log("empty") }
    gate.open()
    try await held.value
    try await behind.value
    #expect(log.entries == ["every key", "empty"])
    executor.pause()
    let paused = executor.submitWrite(touching: []) {}
    #expect(executor.snapshot.waiting == 1)
    executor.resume()
    try await paused.value
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.write(touching: []) {} }
  }

  /// Fails if: a write that touches no key is not seen by what is done to all jobs.
  @Test func anEmptySetIsAJobLikeOthers() async throws {
    executor.pause()
    let empty = executor.submitWrite(touching: []) {}
    let write = executor.submitWrite {}
    executor.cancelAll()
    await #expect(throws: JobRejection.withdrawn) { try await empty.value }
    await #expect(throws: JobRejection.withdrawn) { try await write.value }
    executor.resume()
    let gate = Gate()
    let held = writing(executor, touching: []) { [log] in
      await gate.pass()
      log("held")
    }
    await gate.arrived()
    let drain = Task.immediate { [executor, log] in
      try await executor.drain()
      log("drained")
    }
    gate.open()
    try await held.value
    try await drain.value
    #expect(log.entries == ["held", "drained"])
    await #expect(throws: JobRejection.self) {
      try await executor.write(touching: []) { try await executor.drain() }
    }
  }

  /// Fails if: a write in one that touches no key goes before a write of every key, which does not wait for it, and so before jobs
  /// behind that. (Then all of them hang.)
  @Test func aWriteInOneThatTouchesNothingStandsInLine() async throws {
    let gate = Gate()
    let held = writing(executor, touching: ["a"]) { await gate.pass() }
    await gate.arrived()
    let every = executor.submitWrite { [log] in log("every key") }
    let read = executor.submitRead("b") { [log] in log("read") }
    let inside = writing(executor, touching: []) { [executor, log] in
      try await executor.write(touching: ["b"]) { log("inside") }
    }
    gate.open()
    try await held.value
    try await every.value
    try await read.value
    try await inside.value
    #expect(log.entries == ["every key", "read", "inside"])
  }

  /// Fails if: a read waits that is called in a write which touches its key; or one of another key waits for a write that has not
  /// begun, waits for a write of every key (then this hangs), or begins beside a write of its key.
  @Test func readsInAWrite() async throws {
    let (gate, other) = (Gate(), Gate())
    let held = writing(executor, touching: ["b"]) { await other.pass() }
    await other.arrived()
    let outer = writing(executor, touching: ["a"]) { [executor, log] in
      await gate.pass()
      log(try await executor.read("a") { "own" })
      log(try await executor.read("c") { "free" })
      try await executor.read("b") { log("taken") }
    }
    await gate.arrived()
    let barrier = writing(executor) { [log] in log("every key") }
    gate.open()
    try await executor.waits(for: 2)
    #expect(log.entries == ["own", "free"])
    other.open()
    try await held.value
    try await outer.value
    try await barrier.value
    #expect(log.entries == ["own", "free", "taken", "every key"])
  }

  /// Fails if: a write that is called in another waits for one of every key, which waits for the first (then this hangs); or one
  /// over a key that its caller has is not rejected.
  @Test func writesInAWrite() async throws {
    let gate = Gate()
    let outer = writing(executor, touching: ["a"]) { [executor, log] in
      await gate.pass()
      try await executor.write(touching: ["b"]) { log("inner") }
      await expectCycle(["notes[a]", "notes[a]"]) { try await executor.write(touching: ["b", "a"]) {} }
    }
    await gate.arrived()
    let barrier = writing(executor) { [log] in log("every key") }
    gate.open()
    try await outer.value
    try await barrier.value
    #expect(log.entries == ["inner", "every key"])
  }
}
