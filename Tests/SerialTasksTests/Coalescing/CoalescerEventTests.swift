import CoalescingTasks
import Testing

/// What is reported to `onEvent` of flights and their callers.
@Suite(.watched) struct CoalescerEventTests {
  let backend = Backend()

  /// `onEvent` is called outside every lock: it may call the coalescer.
  ///
  /// Fails if: an event is reported under the lock. (Then this hangs or traps.)
  @Test func onEventMayCallTheCoalescer() async throws {
    let own = Log<TaskCoalescer<Int, Int>>()
    let seen = Log<CoalescerSnapshot>()
    let coalescer = TaskCoalescer<Int, Int> { _ in for coalescer in own.entries { seen(coalescer.snapshot) } }
    own(coalescer)
    let calls = (1...3).map { _ in asking(coalescer) { await backend.fetch() } }
    calls[0].cancel()
    backend.gate.open()
    for call in calls { _ = await call.result }
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { 7 }
    _ = try await coalescer.value(for: 7) { -1 }
    let last = asking(coalescer) { await backend.fetch() }
    coalescer.cancelAll()
    _ = await last.result
    #expect(seen.entries.count >= 8)
  }
}
