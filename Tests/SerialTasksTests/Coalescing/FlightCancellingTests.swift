import SerialTasks
import Testing

/// README, *Lifecycle*: `cancel` ends the flights of a key for all callers, and `cancelAll` ends all flights.
@Suite(.watched) struct FlightCancellingTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  private func expectWithdrawn(_ call: Task<CoalescedAnswer<Int>, any Error>) async {
    await #expect(throws: JobRejection.withdrawn) { try await call.value }
  }

  /// The backend holds its answer back until those who were rejected know.
  ///
  /// Fails if: they wait for the operation, it is not cancelled, or its late answer reaches those who came after.
  @Test func itsCallersAreRejectedAtOnce() async throws {
    let calls = (1...3).map { _ in asking(coalescer) { await backend.fetch() } }
    let other = asking(coalescer, 8) { await backend.fetch() }
    #expect(coalescer.cancel(7))
    for call in calls { await expectWithdrawn(call) }
    #expect(!coalescer.cancel(7))
    let fresh = Backend()
    let late = asking(coalescer) { 10 * (await fresh.fetch()) }
    backend.gate.open()
    #expect(try await other.value == .led(2))
    try await until { backend.cancelled == [1] }
    let later = asking(coalescer) { 10 * (await fresh.fetch()) }
    fresh.gate.open()
    #expect(try await late.value == .led(10))
    #expect(try await later.value == .joined(10))
  }

  /// Fails if: only the flight that can still be joined is ended.
  @Test func flightsThatWereInvalidatedEndToo() async throws {
    let stale = asking(coalescer) { await backend.fetch() }
    coalescer.invalidate(7)
    let current = asking(coalescer) { await backend.fetch() }
    coalescer.invalidate(8)
    let other = asking(coalescer, 8) { await backend.fetch() }
    coalescer.invalidate(8)
    #expect(coalescer.cancel(7))
    await expectWithdrawn(stale)
    await expectWithdrawn(current)
    backend.gate.open()
    #expect(try await other.value == .led(3))
  }

  /// ```
  /// callers   ├─ lead and join ─ × withdrawn ┤        × cancelAll
  /// prefetch  ├───────────────── × ·········· 1 ┤     lands nowhere
  /// stored    ─────────────────── ×
  /// ```
  /// Fails if: after the log-out anything of before it reaches a caller, or stays.
  @Test func logOut() async throws {
    let kept = Backend()
    kept.gate.open()
    coalescer.prefetch(9, expiresAfter: .seconds(3_600)) { await kept.fetch() }
    try await until { coalescer.snapshot.stored > 0 }
    let calls = (0..<6).map { index in asking(coalescer, index % 3) { await backend.fetch() } }
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { await backend.fetch() }
    let onBoard = asking(coalescer) { -1 }
    coalescer.invalidate(0)
    coalescer.cancelAll()
    #expect(coalescer.snapshot == CoalescerSnapshot(flights: 0, waiting: 0, stored: 0))
    for call in calls + [onBoard] { await expectWithdrawn(call) }
    backend.gate.open()
    try await until { backend.cancelled.count >= 4 }
    #expect(coalescer.shelved == 0)
    for key in [0, 1, 2, 7, 9] { #expect(try await coalescer.answer(for: key) { -1 } == .led(-1)) }
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

  /// A caller that is cancelled and withdrawn at once is answered once; which came first decides.
  @Test func cancellingACallerThatWasWithdrawn() async throws {
    let call = asking(coalescer) { await backend.fetch() }
    let left = asking(coalescer) { await backend.fetch() }
    left.cancel()
    coalescer.cancelAll()
    call.cancel()
    await expectWithdrawn(call)
    await #expect(throws: CancellationError.self) { try await left.value }
    backend.gate.open()
  }

  /// Nothing runs: nothing is ended, but what is stored is forgotten.
  @Test func cancelForgetsWhatIsStored() async throws {
    backend.gate.open()
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { await backend.fetch() }
    try await until { coalescer.snapshot.stored > 0 }
    #expect(!coalescer.cancel(7))
    #expect(coalescer.shelved == 0)
  }
}
