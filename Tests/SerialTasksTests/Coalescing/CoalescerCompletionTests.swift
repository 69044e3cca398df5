import SerialTasks
import Testing

/// Guarantees, *Order* of `TaskCoalescer`: callers with a completion handler are like others, each called exactly once.
@Suite(.watched) struct CoalescerCompletionTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")
  let results = Log<Result<Int, any Error>>()

  private func ask() {
    coalescer.value(for: 7) {
      await backend.fetch()
    } completion: {
      results($0)
    }
  }

  private func values() -> [Int] { results.entries.compactMap { try? $0.get() } }

  /// Fails if: its place on the flight is taken only after the call has returned.
  @Test func itJoinsTheOthersAndIsJoined() async throws {
    let leader = asking(coalescer) { await backend.fetch() }
    ask()
    #expect(coalescer.snapshot.waiting == 2)
    leader.cancel()
    let joiner = asking(coalescer) { -1 }
    backend.gate.open()
    #expect(try await joiner.value == .joined(1))
    try await until { values() == [1] }
  }

  @Test func itConsumesWhatIsStored() async throws {
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { 7 }
    ask()
    ask()
    #expect(backend.calls == 1)
    backend.gate.open()
    try await until { values().sorted() == [1, 7] }
  }

  /// Cancelling the task that calls does not cancel the caller.
  @Test func itIsNotCancelledWithTheTaskThatCalls() async throws {
    let gate = Gate()
    let caller = Task {
      await gate.pass()
      ask()
    }
    caller.cancel()
    gate.open()
    await caller.value
    backend.gate.open()
    try await until { values() == [1] }
  }

  /// A screen: it asks from synchronous code, and its handler touches what is its own.
  @MainActor private final class Screen {
    var titles: [Int] = []

    func load(_ coalescer: TaskCoalescer<Int, Int>, _ backend: Backend, _ done: Gate) {
      coalescer.value(for: 7, backend.fetch) { result in
        MainActor.preconditionIsolated()
        if case .success(let title) = result { self.titles.append(title) }
        done.open()
      }
    }
  }

  /// Fails if: a handler may not touch the state of the actor that asks. (Then this does not compile.)
  @Test @MainActor func itIsCalledInItsOwnIsolation() async throws {
    let screen = Screen()
    let done = Gate()
    screen.load(coalescer, backend, done)
    #expect(screen.titles.isEmpty)
    backend.gate.open()
    await done.pass()
    #expect(screen.titles == [1])
  }
}
