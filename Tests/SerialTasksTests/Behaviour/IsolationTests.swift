import CoalescingTasks
import Testing

private final class Draft { var edits = 0 }

private struct Token: ~Copyable {
  let id: Int
}

/// What a job returns and inherits.
@Suite(.watched) struct IsolationTests {
  @Test func aResultNeedNotBeCopyableOrSendable() async throws {
    let (executor, keys) = (SerialTaskExecutor(), KeyedSerialTaskExecutor<Int>())
    let repository = CoalescingTaskExecutor<Int>()
    let token: Token = try await executor.enqueue { Token(id: 7) }
    let tokenOfKey: Token = try await keys.enqueue(for: 1) { Token(id: 8) }
    let written: Token = try await repository.write { Token(id: 9) }
    #expect(token.id == 7 && tokenOfKey.id == 8 && written.id == 9)
    let drafts = [
      try await executor.enqueue { Draft() }, try await keys.enqueue(for: 1) { Draft() },
      try await repository.write { Draft() },
    ]
    for draft in drafts { draft.edits += 1 }
    #expect(drafts.allSatisfy { $0.edits == 1 })
  }

  @Test func aJobHasItsCallersPriority() async throws {
    let executor = SerialTaskExecutor()
    let priority = try await Task.detached(priority: .background) {
      try await executor.enqueue { Task.currentPriority }
    }.value
    #expect(priority >= .background)
    let submitted = executor.submit(priority: .low) { Task.basePriority }
    #expect(try await submitted.value == .low)
  }
}
