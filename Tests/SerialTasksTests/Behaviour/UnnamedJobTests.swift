import CoalescingTasks
import Testing

/// Jobs without a name on a line that is free, which need less than others; what must not be saved.
@Suite(.watched) struct UnnamedJobTests {
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
