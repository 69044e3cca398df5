import SerialTasks
import Testing

/// Reads and writes wait only for what touches their keys.
@Suite(.watched) struct TouchingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  /// Fails if: a write of another key stands between two equal reads.
  @Test func readsMergeAcrossAWriteOfAnotherKey() async throws {
    let gate = Gate()
    let first = reading(executor, "a") { [log] in
      log("first")
      await gate.pass()
      return 1
    }
    await gate.arrived()
    try await executor.write(touching: ["b"]) { log("write") }
    let write = writing(executor, touching: ["b"]) { await gate.pass() }
    await gate.arrived(2)
    let second = reading(executor, "a") { 2 }
    gate.open()
    try await write.value
    #expect(try await first.value == 1)
    #expect(try await second.value == 1)
    #expect(log.entries == ["first", "write"])
  }

  /// Fails if: a read joins one from before a write that touches its key, whether the write names it or touches every key.
  @Test(arguments: [["a"], ["b", "a"], nil] as [[String]?])
  func readsDoNotMergeAcrossAWriteOfTheirs(keys: [String]?) async throws {
    let gate = Gate()
    let first = reading(executor, "a") {
      await gate.pass()
      return 1
    }
    await gate.arrived()
    let write = keys.map { writing(executor, touching: $0) {} } ?? writing(executor) {}
    let second = reading(executor, "a") { 2 }
    let third = reading(executor, "a") { 3 }
    gate.open()
    #expect(try await first.value == 1)
    try await write.value
    #expect(try await second.value == 2)
    #expect(try await third.value == 2)
  }

  /// Fails if: an empty set waits for a write of every key, or such a write for it; or it escapes pausing or closing.
  @Test func anEmptySetTouchesNothing() async throws {
    for keys in [["a"], nil] as [[String]?] {
      let gate = Gate()
      let pass: @Sendable () async -> Void = { await gate.pass() }
      let held = keys.map { writing(executor, touching: $0, pass) } ?? writing(executor, pass)
      await gate.arrived()
      let waiting = writing(executor) {}
      #expect(try await executor.write(touching: []) { 1 } == 1)
      #expect(try await executor.submitWrite(touching: []) { 2 }.value == 2)
      #expect(try await executor.submitWrite(latest: "a", touching: []) { 3 }.value == 3)
      gate.open()
      try await held.value
      try await waiting.value
    }
    let gate = Gate()
    let empty = writing(executor, touching: []) { await gate.pass() }
    await gate.arrived()
    #expect(try await executor.write { 1 } == 1)
    executor.pause()
    let paused = executor.submitWrite(touching: []) {}
    #expect(executor.snapshot.waiting == 1)
    executor.resume()
    try await paused.value
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.write(touching: []) {} }
    gate.open()
    try await empty.value
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

  /// The read waits for a write of every key, and that for the turn; but it has an earlier place than the write of its key.
  ///
  /// Fails if: the write goes before the read, or hangs; or it waits for a write of every key that waits for it.
  @Test func aWriteInATurnDoesNotPassWhatStandsBehindAWriteOfEveryKey() async throws {
    try await executor.write(touching: ["a"]) {
      let every = executor.submitWrite { [log] in log("every key") }
      try await executor.write(touching: ["b"]) { log("inside") }
      let read = executor.submitRead("b") { [log] in log("read") }
      do {
        try await executor.write(touching: ["b"]) { log("too early") }
        Issue.record("the write passed the read")
      } catch JobRejection.deadlock(let deadlock) {
        #expect(deadlock.path == ["notes[b]", "notes", "notes[a]", "notes[b]"])
      }
      try await executor.write(touching: ["c"]) { log("another key") }
      _ = (every, read)
    }
    try await executor.drain()
    #expect(log.entries == ["inside", "another key", "every key", "read"])
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
