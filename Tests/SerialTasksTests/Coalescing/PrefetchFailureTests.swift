import CoalescingTasks
import Testing

/// Guarantees, *Failure* of `TaskCoalescer`: a prefetch that fails does not fail the callers that joined it.
@Suite(.watched) struct PrefetchFailureTests {
  let backend = Backend()
  let reads = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  private func prefetch() { coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { try await backend.fail() } }

  /// The error of the caller's own operation is the caller's.
  @Test func itsOwnFailureReachesTheCaller() async throws {
    prefetch()
    let caller = asking(coalescer) { throw BackendError(call: 7) }
    backend.gate.open()
    await #expect(throws: BackendError(call: 7)) { try await caller.value }
  }

  /// Cancelled meanwhile, it does not come again.
  @Test func aCallerThatLeftRunsNothing() async throws {
    prefetch()
    let caller = asking(coalescer) { reads.call() }
    caller.cancel()
    backend.gate.open()
    await #expect(throws: CancellationError.self) { try await caller.value }
    try await until { coalescer.snapshot.running == 0 }
    #expect(reads.calls == 0)
  }

  /// The prefetch fails while the task of the caller does not run: the caller has left by then, or is cancelled after that.
  ///
  /// Fails if: who has left comes again, or who is cancelled before it comes again passes for one that never joined.
  @Test(arguments: [false, true]) func aCallerThatIsCancelledDoesNotComeAgain(hasLeft: Bool) async throws {
    let (log, thread) = (EventLog(), OneThread())
    let coalescer = TaskCoalescer<Int, Int>(onEvent: log.handler)
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { try await backend.fail() }
    let caller = thread.start { _ = try await coalescer.value(for: 7) { reads.call() } }
    try await thread.allHaveParked()
    thread.hold()
    if hasLeft { caller.cancel() }
    backend.gate.open()
    try await coalescer.drain()
    if !hasLeft { caller.cancel() }
    thread.goOn()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(reads.calls == 0)
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
    if case .left(.cancelled) = log.entries.last?.kind {} else { Issue.record("\(log)") }
  }

  private enum Request { @TaskLocal static var id = 0 }

  /// Fails if: the operation of a caller that a prefetch has failed sees the task-locals of the prefetch.
  @Test func itsOwnTaskLocals() async throws {
    Request.$id.withValue(3) { prefetch() }
    let caller = Request.$id.withValue(4) { asking(coalescer) { Request.id } }
    backend.gate.open()
    #expect(try await caller.value == .led(4))
  }
}
