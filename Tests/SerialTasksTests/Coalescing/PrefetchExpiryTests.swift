import CoalescingTasks
import Testing

/// A prefetched result is kept until it expires by the coalescer's clock, and
/// not much longer.
@Suite(.watched) struct PrefetchExpiryTests {
  let clock = ManualClock()
  let coalescer: TaskCoalescer<Int, Int>

  init() { coalescer = TaskCoalescer(clock: clock) }

  /// Prefetches what is there at once: an operation that does not suspend has landed when this returns.
  private func prefetch(_ key: Int, for seconds: Int) {
    coalescer.prefetch(key, expiresAfter: .seconds(seconds)) { key }
  }

  private func ask(_ key: Int) async throws -> CoalescedAnswer<Int> { try await coalescer.answer(for: key) { -1 } }

  /// Fails if: something past its expiry is served, or something before it is not.
  @Test func pastItsExpiryItIsGone() async throws {
    for key in 0..<4 { prefetch(key, for: 10 * key) }
    #expect(try await ask(0) == .led(-1))
    clock.advance(by: .seconds(15))
    #expect(coalescer.snapshot.stored == 2)
    #expect(try await ask(1) == .led(-1))
    #expect(try await ask(2) == .prefetched(2))
    clock.advance(by: .seconds(16))
    #expect(try await ask(3) == .led(-1))
    #expect(coalescer.snapshot.stored == 0)
  }

  /// It is kept from when the operation has ended, however long that took.
  @Test func itIsKeptFromItsLandingOn() async throws {
    let backend = Backend()
    coalescer.prefetch(7, expiresAfter: .seconds(10)) { await backend.fetch() }
    clock.advance(by: .seconds(100))
    backend.gate.open()
    try await until { coalescer.snapshot.stored > 0 }
    clock.advance(by: .seconds(9))
    #expect(try await ask(7) == .prefetched(1))
  }

  /// Fails if: what has expired is released by calls of its own key alone.
  @Test func aHundredThousandExpiredResultsAreReleasedByTheNextCall() async throws {
    for key in 0..<100_000 { prefetch(key, for: 60) }
    #expect(coalescer.shelved == 100_000)
    clock.advance(by: .seconds(61))
    #expect(try await ask(-1) == .led(-1))
    #expect(coalescer.shelved == 0)
  }

  /// One result that is kept for long does not keep a hundred thousand others that have expired, come they before or after.
  ///
  /// Fails if: a call clears the shelf when the last of them has expired.
  @Test(arguments: [true, false]) func expiredResultsAreNotKeptForTheSakeOfOne(comesFirst: Bool) async throws {
    if comesFirst { prefetch(-1, for: 86_400) }
    for key in 0..<100_000 { prefetch(key, for: 60) }
    if !comesFirst { prefetch(-1, for: 86_400) }
    clock.advance(by: .seconds(121))
    prefetch(-2, for: 60)
    _ = try await ask(-3)
    #expect(coalescer.shelved <= 2)
    #expect(try await ask(-1) == .prefetched(-1))
  }

  /// Fails if: a few results that have expired are kept as long as the one that is kept longest.
  @Test(arguments: [true, false]) func ofAFewEachIsReleasedByTheNextCall(comesFirst: Bool) async throws {
    if comesFirst { prefetch(-1, for: 86_400) }
    for key in 1...3 { prefetch(key, for: 60 * key) }
    if !comesFirst { prefetch(-1, for: 86_400) }
    for left in [3, 2, 1] {
      clock.advance(by: .seconds(60))
      _ = try await ask(-2)
      #expect(coalescer.shelved == left)
    }
  }

  /// Fails if: a store never clears the shelf.
  @Test func aHundredThousandExpiredResultsAreClearedByLaterStores() async throws {
    var most = 0
    for key in 0..<100_000 {
      prefetch(key, for: 60)
      clock.advance(by: .seconds(1))
      most = max(most, coalescer.shelved)
    }
    #expect(most < 1_000)
  }
}
