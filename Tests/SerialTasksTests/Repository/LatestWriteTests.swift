import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// Of equal writes only the newest that waits is performed, in the place of the first.
@Suite(.watched) struct LatestWriteTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  private func hold() async -> Held<CoalescingTaskExecutor<String>> { await Held(writing: executor) }

  /// Fails if: a write replaces one that touches other keys, returns another type, is of another key, or did not ask.
  @Test func othersAreNotReplaced() async throws {
    let held = await hold()
    let run: @Sendable (String) -> Void = { [log] in log($0) }
    executor.submitWrite(latest: "draft", touching: ["a", "b"]) { run("more keys") }
    executor.submitWrite(latest: "draft", touching: ["a"]) { run("draft") }
    executor.submitWrite(latest: "draft", touching: ["b"]) { run("another key") }
    executor.submitWrite(latest: "draft", touching: ["b"]) {
      run("another type")
      return 1
    }
    executor.submitWrite(latest: "other", touching: ["b"]) { run("another draft") }
    executor.submitWrite(touching: ["b"]) { run("no draft") }
    #expect(executor.snapshot.waiting == 6)
    try await held.release()
    try await executor.drain()
    #expect(log.entries.count == 6)
  }

  /// Fails if: where newer writes look for older ones, one stays that has begun, has left, or is not to be replaced any more.
  @Test func noneIsKeptThatIsOver() async throws {
    let held = await hold()
    let writes = (0..<3).map { executor.submitWrite(latest: "\($0)", touching: ["a"]) {} }
    writes[0].cancel()
    executor.submitWrite(latest: "1", touching: ["a"]) { 1 }
    #expect(executor.reads.latest.withLock { $0.count } == 2)
    try await held.release()
    try await executor.drain()
    #expect(executor.reads.latest.withLock { $0.isEmpty })
  }

  /// Fails if: a task that awaits a write that was replaced raises that write, or a newer one is not raised as the older was.
  @Test(arguments: [false, true], 0...1)
  func aTaskThatAwaitsAReplacedWriteRaisesTheNewest(isReplacedLater: Bool, awaited: Int) async throws {
    let held = await hold()
    let submit = { [executor] in
      executor.submitWrite(latest: "draft", touching: ["a"], priority: .background) { await raised() }
    }
    let writes = [submit(), submit()]
    if !isReplacedLater { _ = submit() }
    let urgent = Task.immediate(priority: .high) { try await writes[awaited].value }
    if isReplacedLater { _ = submit() }
    try await held.release()
    #expect(try await urgent.value >= .high)
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
    weak var third: AnyObject?
    do {
      let handle = executor.submitWrite(latest: "draft", touching: ["a"]) { 3 }
      third = handle.submission
    }
    executor.resume()
    #expect(try await first.value == 3)
    try await executor.drain()
    try await until { second == nil && third == nil }
  }
}
