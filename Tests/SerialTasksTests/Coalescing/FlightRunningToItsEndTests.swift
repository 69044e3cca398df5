import SerialTasks
import Testing

/// A coalescer whose operations run to their end, even if all callers leave.
@Suite(.watched) struct FlightRunningToItsEndTests {
  let backend = Backend()
  let events = EventLog()
  let coalescer: TaskCoalescer<Int, Int>

  init() { coalescer = TaskCoalescer(name: "profiles", runsToEnd: true) { [events] in events($0) } }

  /// ```
  /// callers    ├─ wait ─ cancelled ┤
  /// operation  ├────────────────────────── returns 1
  /// late                           ├─ joins ── 1 ┤
  /// ```
  /// Fails if: the operation is cancelled when the last caller leaves, or its key is free while it runs.
  @Test func whenTheLastLeavesItGoesOnAndIsJoined() async throws {
    let calls = (1...2).map { _ in asking(coalescer) { await backend.fetch() } }
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 1, stored: 0))
    let late = asking(coalescer) { -1 }
    backend.gate.open()
    #expect(try await late.value == .joined(1))
    #expect(backend.cancelled.isEmpty)
  }

  /// Fails if: what no caller waited for is kept, or its key is not free when it has ended.
  @Test func whatNobodyWaitedForIsNotKept() async throws {
    let call = asking(coalescer) { await backend.fetch() }
    call.cancel()
    _ = await call.result
    backend.gate.open()
    try await until { coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0) }
    #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(2))
    #expect(events.entries.filter { if case .finished = $0.kind { true } else { false } }.count == 2)
  }

  /// Fails if: nothing can end such an operation.
  @Test func itIsCancelledWithItsKey() async throws {
    let call = asking(coalescer) { await backend.fetch() }
    call.cancel()
    _ = await call.result
    #expect(coalescer.snapshot.running == 1)
    coalescer.cancel(7)
    #expect(coalescer.snapshot.running == 0)
    backend.gate.open()
    try await until { backend.cancelled == [1] }
    #expect(coalescer.snapshot.running == 0)
  }
}
