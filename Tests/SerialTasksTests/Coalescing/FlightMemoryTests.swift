import CoalescingTasks
import Testing

/// Calls back when it goes.
final class Loud: Sendable {
  let deinitialised: @Sendable () -> Void
  init(_ deinitialised: @escaping @Sendable () -> Void) { self.deinitialised = deinitialised }
  deinit { deinitialised() }
}

/// What is released, and where: nothing foreign runs under the lock, the `deinit` of a stored value included.
@Suite(.watched) struct FlightMemoryTests {
  let clock = ManualClock()
  let coalescer: TaskCoalescer<Int, Loud>
  let gone = Log<Int>()

  init() { coalescer = TaskCoalescer(clock: clock) }

  /// Stores a value that calls the coalescer when it goes.
  private func store(_ key: Int = 7, for seconds: Int = 60) {
    coalescer.prefetch(key, expiresAfter: .seconds(seconds)) { [coalescer, gone] in
      Loud { gone(coalescer.snapshot.running) }
    }
  }

  private func expectGone(_ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(gone.entries.count == count, sourceLocation: sourceLocation)
  }

  /// Fails if: what `invalidate` forgets is released under the lock. (Then this hangs or traps, as do the others.)
  @Test func whatIsInvalidated() {
    store()
    coalescer.invalidate(7)
    expectGone()
    store(1)
    store(2)
    coalescer.invalidateAll()
    expectGone(3)
  }

  @Test func whatIsCancelled() {
    store()
    coalescer.cancel(7)
    expectGone()
    store(1)
    store(2)
    coalescer.cancelAll()
    expectGone(3)
  }

  @Test func whatHasExpiredAndIsAskedFor() async throws {
    store(for: 10)
    clock.advance(by: .seconds(11))
    _ = try await coalescer.value(for: 7) { Loud {} }
    try await until { gone.entries.count == 1 }
  }

  @Test func whatHasExpiredAndIsStoredAgain() async throws {
    store(for: 10)
    clock.advance(by: .seconds(11))
    store(for: 10)
    try await until { gone.entries.count == 1 }
  }

  @Test func whatIsClearedByALaterCall() async throws {
    store(for: 10)
    clock.advance(by: .seconds(11))
    await #expect(throws: CancellationError.self) { try await coalescer.value(for: 8) { throw CancellationError() } }
    #expect(gone.entries.count == 1)
  }

  @Test func whatIsClearedByALaterStore() async throws {
    for key in 0..<100 {
      store(key, for: 1)
      clock.advance(by: .seconds(2))
    }
    #expect(gone.entries.count > 50)
  }

  /// A flight holds its coalescer until it has landed, and nothing holds it after.
  @Test func aFlightKeepsItsCoalescerUntilItLands() async throws {
    weak var dropped: TaskCoalescer<Int, Int>?
    let backend = Backend()
    let result = Log<Int>()
    do {
      let coalescer = TaskCoalescer<Int, Int>()
      coalescer.value(for: 7) {
        await backend.fetch()
      } completion: {
        if case .success(let value) = $0 { result(value) }
      }
      dropped = coalescer
    }
    #expect(dropped != nil)
    backend.gate.open()
    try await until { dropped == nil }
    #expect(result.entries == [1])
  }
}
