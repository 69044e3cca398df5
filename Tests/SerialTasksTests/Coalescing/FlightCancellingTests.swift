import CoalescingTasks
import Testing

/// README, *Cancellation*: `cancel` ends the flights of a key for all callers, and `cancelAll` ends all flights.
@Suite(.watched) struct FlightCancellingTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  private func expectWithdrawn(_ call: Task<CoalescedAnswer<Int>, any Error>) async {
    await #expect(throws: JobRejection.withdrawn) { try await call.value }
  }

  /// An operation cancels its own flight before it has suspended: before there is a handle to cancel it by.
  ///
  /// Fails if: an operation that was cancelled before its handle was known is not cancelled.
  @Test func anOperationMayCancelItsOwnFlight() async throws {
    let call = asking(coalescer) {
      coalescer.cancelAll()
      return await backend.fetch()
    }
    await expectWithdrawn(call)
    backend.gate.open()
    try await until { backend.cancelled == [1] }
  }

  /// The leader is cancelled by its own operation, before that has suspended: before there is a handle to cancel it by.
  ///
  /// Fails if: a cancellation that comes before the leader has parked is lost.
  @Test func theLeaderIsCancelledWhileItsOperationBegins() async throws {
    let own = Log<Task<CoalescedAnswer<Int>, any Error>>()
    let gate = Gate()
    let leader = Task {
      await gate.pass()
      return try await coalescer.answer(for: 7) {
        own.entries[0].cancel()
        return await backend.fetch()
      }
    }
    own(leader)
    gate.open()
    await #expect(throws: CancellationError.self) { try await leader.value }
    #expect(coalescer.snapshot.running == 0)
    backend.gate.open()
    try await until { !backend.cancelled.isEmpty }
  }

  /// Fails if: the callers of many keys are rejected in another order than that in which they came.
  @Test func callersAreRejectedInTheirOrder() async {
    let (gate, events) = (Gate(), EventLog())
    let coalescer = TaskCoalescer<Int, Int>(onEvent: { events($0) })
    let calls = (0..<8).map { key in
      Task.immediate {
        try await coalescer.value(for: key, name: "call \(key)") {
          await gate.pass()
          return 1
        }
      }
    }
    coalescer.cancelAll()
    for call in calls { await #expect(throws: JobRejection.withdrawn) { try await call.value } }
    #expect(
      events.entries.filter { if case .left = $0.kind { true } else { false } }.map(\.job)
        == (0..<8).map { "call \($0)" })
    gate.open()
  }

  /// An operation may throw `CancellationError` without anybody having been cancelled: an error like any other.
  @Test func anOperationsOwnCancellationError() async throws {
    let calls = (1...2).map { _ in
      asking(coalescer) {
        _ = await backend.fetch()
        throw CancellationError()
      }
    }
    backend.gate.open()
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(2))
  }
}
