import CoalescingTasks
import Testing

/// Callers are answered before what follows.
@Suite(.watched) struct ReadWriteOrderTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  /// Where all run on one executor, a caller sees its answer before the write that it did not see begins, and before a drain
  /// returns.
  ///
  /// Fails if: the turn is handed on, or the drain ends, before those who wait for the read are resumed.
  @Test(arguments: [false, true]) func answersComeBeforeWhatFollows(drains: Bool) async throws {
    let (thread, gate, log) = (OneThread(), Gate(), Log<String>())
    let executor = CoalescingTaskExecutor<String>()
    let readers = (0..<3).map { _ in
      thread.start {
        _ = try await executor.read("a") { await gate.pass() }
        log("answered")
      }
    }
    try await thread.allHaveParked()
    let follower = thread.start {
      if drains { try await executor.drain() } else { try await executor.write { log("follows") } }
      if drains { log("follows") }
    }
    try await thread.allHaveParked()
    gate.open()
    for reader in readers { try await reader.value }
    try await follower.value
    #expect(log.entries == ["answered", "answered", "answered", "follows"])
  }
}
