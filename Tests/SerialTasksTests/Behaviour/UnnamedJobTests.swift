import CoalescingTasks
import Testing

/// Jobs without a name on a line that is free, which need less than others; what must not be saved.
@Suite(.watched) struct UnnamedJobTests {
  /// Fails if: a snapshot or a report, which are the first to look at the line, do not see the job that found it free.
  @Test func whoLooksFirstSeesTheJob() async throws {
    let executor = SerialTaskExecutor(name: "line-looked-at")
    let repository = CoalescingTaskExecutor<Int>(name: "repository-looked-at")
    func isReported(_ name: String) -> Bool {
      WaitReport.current.executors.contains { $0.name == name && $0.isHeld }
    }
    try await executor.enqueue { #expect(executor.snapshot.running > 0) }
    try await executor.enqueue { #expect(isReported("line-looked-at")) }
    try await repository.write { #expect(repository.snapshot.running == 1) }
    try await repository.write { #expect(isReported("repository-looked-at")) }
    #expect(executor.snapshot.running == 0 && repository.snapshot.running == 0)
  }

  /// Fails if: a write that touches every key is taken, by who looks at it, for one that touches the keys of the write before, at which
  /// another task has looked or not.
  @Test(arguments: [false, true]) func aWriteTouchesEveryKeyWhateverTheLastOneTouched(isLookedAt: Bool) async throws {
    let name = "keys-before-\(isLookedAt)"
    let repository = CoalescingTaskExecutor<Int>(name: name)
    try await repository.write(touching: [1]) {
      if isLookedAt { #expect(WaitReport.current.executors.contains { $0.name.hasPrefix(name) }) }
    }
    let read = try await repository.write {
      let read = reading(repository, 2) { 2 }
      #expect(repository.snapshot.waiting == 1)
      return read
    }
    #expect(try await read.value == 2)
  }
}
