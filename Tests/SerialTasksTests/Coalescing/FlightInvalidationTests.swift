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
  private func prefetch() { coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { await old.fetch() } }

  private func letOldLand() async throws {
    let flights = coalescer.snapshot.flights
    old.gate.open()
    try await until { coalescer.snapshot.flights != flights }
  }

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
    #expect(coalescer.snapshot == CoalescerSnapshot(flights: 2, waiting: 2, stored: 0))
    old.gate.open()
    #expect(try await first.value == .led(1))
    let next = askNew()
    new.gate.open()
    #expect(try await late.value == .led(10))
    #expect(try await next.value == .joined(10))
    #expect(old.cancelled.isEmpty)
  }

  /// Fails if: a prefetch that was invalidated is stored.
  @Test func duringAPrefetch() async throws {
    prefetch()
    coalescer.invalidate(7)
    try await letOldLand()
    #expect(coalescer.shelved == 0)
    new.gate.open()
    #expect(try await askNew().value == .led(10))
  }

  /// A caller on board of the prefetch is a present caller: it gets its answer.
  @Test func duringAPrefetchWithACallerOnBoard() async throws {
    prefetch()
    let onBoard = askNew()
    coalescer.invalidate(7)
    try await letOldLand()
    #expect(try await onBoard.value == .joined(1))
    #expect(coalescer.shelved == 0)
    #expect(new.calls == 0)
  }

  /// A prefetch may begin again at once; the old one lands first or last, and nothing of it is served.
  @Test(arguments: [true, false]) func aPrefetchAfterAPrefetch(oldLandsFirst: Bool) async throws {
    prefetch()
    coalescer.invalidate(7)
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { 10 * (await new.fetch()) }
    if oldLandsFirst { try await letOldLand() }
    new.gate.open()
    try await until { coalescer.snapshot.stored > 0 }
    if !oldLandsFirst { try await letOldLand() }
    #expect(try await coalescer.answer(for: 7) { -1 } == .prefetched(10))
    #expect(try await coalescer.answer(for: 7) { -1 } == .led(-1))
  }

  /// Twice in one flight, and once in the next: three flights of one key, which land in the order 2, 3, 1.
  @Test func twice() async throws {
    let backends = (0..<3).map { _ in Backend() }
    func ask(_ index: Int) -> Task<CoalescedAnswer<Int>, any Error> {
      asking(coalescer) { 100 * index + (await backends[index].fetch()) }
    }
    let first = ask(0)
    coalescer.invalidate(7)
    coalescer.invalidate(7)
    let second = ask(1)
    coalescer.invalidate(7)
    let third = ask(2)
    #expect(coalescer.snapshot.flights == 3)
    backends[1].gate.open()
    #expect(try await second.value == .led(101))
    let fourth = ask(2)
    backends[2].gate.open()
    #expect(try await third.value == .led(201))
    #expect(try await fourth.value == .joined(201))
    backends[0].gate.open()
    #expect(try await first.value == .led(1))
    #expect(coalescer.snapshot == CoalescerSnapshot(flights: 0, waiting: 0, stored: 0))
  }

  /// Fails if: what is stored survives.
  @Test func whatIsStored() async throws {
    prefetch()
    try await letOldLand()
    #expect(coalescer.snapshot.stored == 1)
    coalescer.invalidate(7)
    #expect(coalescer.shelved == 0)
    #expect(try await coalescer.answer(for: 7) { -1 } == .led(-1))
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

  /// Those on board of a stale flight may still leave it, and the last still cancels it.
  @Test func leavingAStaleFlight() async throws {
    let calls = [askOld(), askOld()]
    coalescer.invalidate(7)
    for call in calls { call.cancel() }
    #expect(coalescer.snapshot.flights == 0)
    // The last caller cancels the operation when it goes on, so that does not end before.
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    old.gate.open()
    try await until { old.cancelled == [1] }
  }
}
