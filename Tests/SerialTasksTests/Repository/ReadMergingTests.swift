import CoalescingTasks
import Testing

/// Which reads are one, and what each of their callers gets.
@Suite(.watched) struct ReadMergingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()

  /// Fails if: the value type or the failure type is not a part of what makes reads one. (Then this traps, or worse.)
  @Test func equalKeysOfOtherTypesRunSideBySide() async throws {
    let gate = Gate()
    let number = reading(executor, "a") { await backend.fetch() }
    let text = reading(executor, "a") { "\(await backend.fetch())" }
    let optional = reading(executor, "a") { () -> Int? in await backend.fetch() }
    let typed = Task.immediate {
      try await executor.read("a", rejectedAs: { $0 }) { () async throws(JobRejection) -> Int in await backend.fetch() }
    }
    let nothing = reading(executor, "a") { await gate.pass() }
    #expect(executor.counts == [0, 5])
    let joiner = reading(executor, "a") { "" }
    backend.gate.open()
    gate.open()
    #expect(try await number.value == 1)
    #expect(try await text.value == "2")
    #expect(try await joiner.value == "2")
    #expect(try await optional.value == 3)
    #expect(try await typed.value == 4)
    try await nothing.value
  }
}
