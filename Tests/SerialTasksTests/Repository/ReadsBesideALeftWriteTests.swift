import CoalescingTasks
import Testing

/// A write that stood between reads has left: they are neighbours.
///
/// ```
/// paused   │ r x │ w │ r y │        w is cancelled:   │ r x │ r y │  ◄── r x joins the first
/// ```
@Suite(.watched) struct ReadsBesideALeftWriteTests {
  private let executor = CoalescingTaskExecutor<String>()
  private let reads = Log<String>()

  private func read(_ key: String) -> Task<Void, any Error> {
    Task { [executor, reads] in try await executor.read(key) { reads(key) } }
  }

  /// Fails if: a read is sought only among the youngest of its key.
  @Test func aReadInTheBatchInFrontIsJoined() async throws {
    executor.pause()
    let first = read("x")
    try await executor.waits(for: 1)
    let write = executor.submitWrite {}
    let other = read("y")
    try await executor.waits(for: 3)
    write.cancel()
    #expect(executor.snapshot.waiting == 2)

    // Places its call before it first suspends, so the resume comes after that.
    let second = Task.immediate { [executor, reads] in try await executor.read("x") { reads("x, again") } }
    #expect(executor.snapshot.waiting == 2)
    executor.resume()
    for task in [first, other, second] { try await task.value }
    #expect(reads.entries.sorted() == ["x", "y"])
  }
}
