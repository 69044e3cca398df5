import SerialTasks
import Testing

/// Nothing is kept for a key that is idle.
@Suite(.watched) struct KeyedMemoryTests {
  /// A tenth of a million in the short form.
  ///
  /// Fails if: a key stays in the table when it is idle.
  @Test(arguments: [1, 2]) func aMillionKeysLeaveTheTableEmpty(each: Int) async throws {
    let executor = KeyedSerialTaskExecutor<Int>(name: "accounts")
    let keys = Effort.upTo(1_000_000) / each
    var sum = 0
    for key in 0..<keys {
      if each == 1 {
        try await executor.enqueue(for: key) { sum += 1 }
      } else {
        try await executor.enqueue(touching: [key, key + 1]) { sum += 1 }
      }
    }
    #expect(sum == keys)
    let (busy, capacity) = executor.line.size
    #expect(busy == 0)
    #expect(capacity <= 64)
  }

  /// Many at once, submitted ones too.
  ///
  /// Fails if: a submitted job does not return its line, or the table never shrinks, or shrinks too early.
  @Test func manyKeysAtOnceLeaveTheTableEmpty() async throws {
    let executor = KeyedSerialTaskExecutor<Int>()
    executor.pause()
    for key in 0..<9_000 { executor.submit(for: key) {} }
    for key in 0..<1_000 { executor.submit(touching: [key, key + 1, -key]) {} }
    let doomed = (0..<1_000).map { executor.submit(for: $0 < 500 ? -$0 : 20_000 + $0) {} }
    for job in doomed { job.cancel() }
    #expect(executor.snapshot.waiting == 10_000)
    // A chain of many keys would cost time.
    #expect(executor.line.size.capacity >= executor.line.size.busy)
    executor.resume()
    try await executor.drain()
    #expect(executor.line.size.busy == 0)
    #expect(executor.line.size.capacity <= 64)
  }

  /// Beside a job of another key, so that each of them takes its key alone.
  ///
  /// Fails if: the table of callers that found their keys free never shrinks.
  @Test func manyCallersThatFoundTheirKeysFreeLeaveTheTableEmpty() async throws {
    let executor = KeyedSerialTaskExecutor<Int>()
    let gates = (Gate(), Gate())
    let held = executor.submit(for: -1) { await gates.0.pass() }
    let callers = (0..<1_000).map { waiting(executor, $0) { await gates.1.pass() } }
    #expect(executor.line.size.busy == 1_001)
    gates.1.open()
    for caller in callers { try await caller.value }
    #expect(executor.line.size.busy == 1)
    #expect(executor.line.size.capacity <= 64)
    gates.0.open()
    try await held.value
  }

  /// Fails if: a turn that is kept for the jobs to come keeps the last job that had it, and with it its result, or a place on
  /// one of several keys does.
  @Test(arguments: [1, 2]) func anEndedJobIsReleased(keys: Int) async throws {
    let (executor, gone) = (KeyedSerialTaskExecutor<Int>(), Gate())
    _ = try await executor.submit(touching: Set(0..<keys)) { Loud { gone.open() } }.value
    await gone.pass()
    #expect(executor.snapshot.running == 0)
  }
}
