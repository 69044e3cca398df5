import Testing

@testable import SerialTasks

/// Of equal writes only the newest that waits is performed, in the place of the first.
@Suite(.watched) struct LatestWriteTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  private func hold() async -> HeldJob { await HeldJob.writing(executor) }

  /// Fails if: a write that runs is replaced, or cancelled.
  @Test func oneThatRunsIsNotTouched() async throws {
    let gate = Gate()
    let running = executor.submitWrite(latest: "draft", touching: ["a"]) {
      await gate.pass()
      return Task.isCancelled ? -1 : 1
    }
    await gate.arrived()
    let next = executor.submitWrite(latest: "draft", touching: ["a"]) { 2 }
    let newest = executor.submitWrite(latest: "draft", touching: ["a"]) { 3 }
    #expect(executor.snapshot.waiting == 1)
    gate.open()
    #expect(try await running.value == 1)
    #expect(try await next.value == 3)
    #expect(try await newest.value == 3)
  }

  /// Fails if: a write replaces one that touches other keys, returns or throws another type, is of another key, or did not ask.
  @Test func othersAreNotReplaced() async throws {
    let held = await hold()
    let run: @Sendable (String) -> Void = { [log] in log($0) }
    executor.submitWrite(latest: "draft", touching: ["a"]) { run("draft") }
    executor.submitWrite(latest: "draft", touching: ["a", "b"]) { run("more keys") }
    executor.submitWrite(latest: "draft", touching: ["b"]) { run("another key") }
    executor.submitWrite(latest: "draft", touching: ["b"]) {
      run("another type")
      return 1
    }
    executor.submitWrite(latest: "draft", touching: ["b"], rejectedAs: { $0 }) { () async throws(JobRejection) in
      run("another error")
    }
    executor.submitWrite(latest: "other", touching: ["b"]) { run("another draft") }
    executor.submitWrite(touching: ["b"]) { run("no draft") }
    #expect(executor.snapshot.waiting == 7)
    try await held.release()
    try await executor.drain()
    #expect(log.entries.count == 7)
  }

  /// Fails if: the handle of a write that was replaced cancels its replacement, or one of them does not learn that the newest was
  /// cancelled.
  @Test func onlyTheNewestHandleCancels() async throws {
    let held = await hold()
    let handles = (0..<3).map { _ in
      executor.submitWrite(latest: "draft", touching: ["a"]) { Issue.record("it ran") }
    }
    handles[0].cancel()
    #expect(executor.snapshot.waiting == 1)
    handles[2].cancel()
    #expect(executor.snapshot.waiting == 0)
    for handle in handles { await #expect(throws: CancellationError.self) { try await handle.value } }
    let later = executor.submitWrite(latest: "draft", touching: ["a"]) { 1 }
    try await held.release()
    #expect(try await later.value == 1)
  }

  /// Fails if: a task that awaits a write that was replaced raises that write, or a newer one is not raised as the older was.
  @Test(arguments: [false, true])
  func aTaskThatAwaitsAReplacedWriteRaisesTheNewest(isReplacedLater: Bool) async throws {
    let held = await hold()
    let submit = { [executor] in
      executor.submitWrite(latest: "draft", touching: ["a"], priority: .background) { await raised() }
    }
    let first = submit()
    _ = submit()
    if !isReplacedLater { _ = submit() }
    let urgent = Task.immediate(priority: .high) { try await first.value }
    if isReplacedLater { _ = submit() }
    try await held.release()
    #expect(try await urgent.value >= .high)
  }

  /// Fails if: only the first step from a replaced write to the newest is followed. (Then this hangs.)
  @Test func awaitingAWriteThatWasReplacedTwiceIsADeadlock() async throws {
    await expectCycle(["notes[a]", "notes", "notes[a]"]) { [executor] in
      try await executor.write {
        let first = executor.submitWrite(latest: "draft", touching: ["a"]) {}
        for _ in 0..<2 { executor.submitWrite(latest: "draft", touching: ["a"]) {} }
        try await first.value
      }
    }
    try await executor.drain()
  }

  /// Most often the cancellation finds the write granted its turn, and not begun.
  ///
  /// Fails if: a write takes the place of one that has been cancelled or withdrawn, and is never performed. (Then this hangs.)
  @Test(arguments: [false, true]) func oneThatIsCancelledIsNotReplaced(all: Bool) async throws {
    for round in 0..<Effort.upTo(500) {
      let older = executor.submitWrite(latest: "draft", touching: ["a"]) { 0 }
      if all { executor.cancelAll() } else { older.cancel() }
      let newer = executor.submitWrite(latest: "draft", touching: ["a"]) { round }
      #expect(try await newer.value == round)
    }
  }

  /// The handle of a replaced write keeps none of those that came after it.
  ///
  /// Fails if: a replaced write still leads to its replacement when both are settled.
  @Test func aKeptHandleKeepsNoNewerWrite() async throws {
    executor.pause()
    let first = executor.submitWrite(latest: "draft", touching: ["a"]) { 1 }
    weak var second: AnyObject?
    do {
      let handle = executor.submitWrite(latest: "draft", touching: ["a"]) { 2 }
      second = handle.submission
    }
    executor.submitWrite(latest: "draft", touching: ["a"]) { 3 }
    executor.resume()
    #expect(try await first.value == 3)
    try await executor.drain()
    try await until { second == nil }
  }
}
