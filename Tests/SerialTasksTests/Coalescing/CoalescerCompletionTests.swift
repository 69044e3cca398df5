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

  /// Fails if: a completion handler is called twice or never, or such a caller does not join.
  @Test func eachIsCalledOnce() async throws {
    for _ in 1...1_000 { ask() }
    #expect(coalescer.snapshot == CoalescerSnapshot(flights: 1, waiting: 1_000, stored: 0))
    backend.gate.open()
    try await until { results.entries.count >= 1_000 }
    // No flight is left that could call once more.
    _ = try await coalescer.value(for: 7) { 0 }
    #expect(values() == Array(repeating: 1, count: 1_000))
    #expect(backend.calls == 1)
  }

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

  @Test func errorsAreReportedToIt() async throws {
    coalescer.value(for: 7) {
      try await backend.fail()
    } completion: {
      results($0)
    }
    backend.gate.open()
    try await until { results.entries.count == 1 }
    #expect(throws: BackendError(call: 1)) { try results.entries[0].get() }
  }

  @Test func itIsToldThatItWasWithdrawn() async throws {
    ask()
    ask()
    coalescer.cancelAll()
    try await until { results.entries.count == 2 }
    for result in results.entries { #expect(throws: JobRejection.withdrawn) { try result.get() } }
    backend.gate.open()
    try await until { backend.cancelled == [1] }
    #expect(results.entries.count == 2)
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
