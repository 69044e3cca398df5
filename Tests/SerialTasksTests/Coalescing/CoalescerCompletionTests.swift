import CoalescingTasks
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
