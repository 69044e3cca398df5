import SerialTasks
import Testing

private final class Trouble: Error {}

/// Guarantees, *Failure* of `TaskCoalescer`: an error reaches every current caller, unchanged, and is not stored.
@Suite(.watched) struct FlightErrorTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  /// Fails if: the error is wrapped, or reaches only the leader.
  @Test func everyCurrentCallerGetsTheSameError() async throws {
    let trouble = Trouble()
    let calls = (1...4).map { _ in
      asking(coalescer) {
        _ = await backend.fetch()
        throw trouble
      }
    }
    backend.gate.open()
    for call in calls {
      let error = await #expect(throws: Trouble.self) { try await call.value }
      #expect(error === trouble)
    }
    #expect(backend.calls == 1)
  }

  /// Fails if: a failure sticks to its key.
  @Test func theNextCallTriesAgain() async throws {
    backend.gate.open()
    for call in 1...3 {
      await #expect(throws: BackendError(call: call)) { try await coalescer.value(for: 7) { try await backend.fail() } }
    }
    #expect(try await coalescer.value(for: 7) { backend.call() } == 4)
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

  /// A caller that left does not see the error of the flight that it left.
  @Test func whoLeftSeesCancellation() async throws {
    let stays = asking(coalescer) { try await backend.fail() }
    let leaves = asking(coalescer) { -1 }
    leaves.cancel()
    backend.gate.open()
    await #expect(throws: BackendError(call: 1)) { try await stays.value }
    await #expect(throws: CancellationError.self) { try await leaves.value }
  }
}
