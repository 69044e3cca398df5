import CoalescingTasks
import Testing

/// Guarantees, *Order* and *Failure* of `CoalescingTaskExecutor`: which reads are one, and what each of their callers gets.
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

  private struct Refused: Error, Equatable {
    let why: JobRejection
    let caller: Int
  }

  /// Reads with errors of its own, and returns why that was refused.
  private func refusal(_ caller: Int) -> Task<Refused?, Never> {
    Task.immediate { [executor, backend] in
      do throws(Refused) {
        _ = try await executor.read("a", rejectedAs: { Refused(why: $0, caller: caller) }) {
          () async throws(Refused) in backend.call()
        }
        return nil
      } catch { return error }
    }
  }

  /// Fails if: a rejection is mapped by the leader for all, or not mapped.
  @Test func everyCallerMapsItsOwnRejection() async throws {
    let held = await HeldJob.writing(executor)
    let calls = (0..<3).map { refusal($0) }
    calls[0].cancel()
    #expect(await calls[0].value == Refused(why: .cancelled, caller: 0))
    executor.cancelAll()
    for caller in 1...2 { #expect(await calls[caller].value == Refused(why: .withdrawn, caller: caller)) }
    executor.close()
    #expect(await refusal(3).value == Refused(why: .closed, caller: 3))
    try await held.release()
    #expect(backend.calls == 0)
  }
}
