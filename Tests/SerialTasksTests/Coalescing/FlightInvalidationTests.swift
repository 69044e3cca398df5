import SerialTasks
import Testing

/// Guarantees, *Memory* of `TaskCoalescer`: `invalidate` keeps nothing of a flight, and its callers still get their
/// answer.
@Suite(.watched) struct FlightInvalidationTests {
  let old = Backend()
  let new = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  private func askOld() -> Task<CoalescedAnswer<Int>, any Error> { asking(coalescer) { await old.fetch() } }
  private func askNew() -> Task<CoalescedAnswer<Int>, any Error> { asking(coalescer) { 10 * (await new.fetch()) } }

  /// ```
  /// first   ├─ leads ───── × ────────── 1 ┤       × invalidate
  /// late                     ├─ leads ─────────────── 10 ┤
  /// next                                    ├─ joins ─ 10 ┤
  /// ```
  /// Fails if: a caller after `invalidate` joins the flight before it, or that flight clears the entry of the newer one.
  @Test func duringAFirstFlight() async throws {
    let first = askOld()
    coalescer.invalidate(7)
    let late = askNew()
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 2, running: 2, stored: 0))
    old.gate.open()
    #expect(try await first.value == .led(1))
    let next = askNew()
    new.gate.open()
    #expect(try await late.value == .led(10))
    #expect(try await next.value == .joined(10))
    #expect(old.cancelled.isEmpty)
  }

  /// Fails if: `invalidate` touches other keys, or `invalidateAll` leaves one out.
  @Test func oneKeyOrAll() async throws {
    let calls = (0..<3).map { key in asking(coalescer, key) { await old.fetch() } }
    coalescer.invalidate(0)
    let again = (0..<3).map { key in asking(coalescer, key) { 10 * (await new.fetch()) } }
    coalescer.invalidateAll()
    let last = (0..<3).map { key in asking(coalescer, key) { -1 } }
    old.gate.open()
    new.gate.open()
    var sources: [CoalescedAnswer<Int>.Source] = []
    for call in calls + again + last { sources.append(try await call.value.source) }
    #expect(sources == [.led, .led, .led, .led, .joined, .joined, .led, .led, .led])
  }
}
