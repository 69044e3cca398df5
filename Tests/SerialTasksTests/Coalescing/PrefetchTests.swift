import CoalescingTasks
import Testing

/// A prefetched result is for one caller.
///
/// Its expiry is in `PrefetchExpiryTests`.
@Suite(.watched) struct PrefetchTests {
  let backend = Backend()
  let reads = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  /// Fails if: a prefetch that fails is kept, or its callers do not get its error.
  @Test func itsFailureReachesItsCallers() async throws {
    coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { try await backend.fail() }
    let callers = (0..<2).map { _ in asking(coalescer) { reads.call() } }
    backend.gate.open()
    for caller in callers { await #expect(throws: BackendError(call: 1)) { try await caller.value } }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
    #expect(try await coalescer.answer(for: 7) { reads.call() } == .led(1))
  }

  /// The same on real threads, in any order: no answer is served twice, and each result answers a caller or is stored.
  @Test func fourPrefetchersAndFourReadersAtOnce() async throws {
    for _ in 0..<500 {
      let (coalescer, backend) = (TaskCoalescer<Int, Int>(), Backend())
      let answers = try await withThrowingTaskGroup { group in
        for index in 0..<8 {
          group.addTask { () -> CoalescedAnswer<Int>? in
            if index % 2 == 0 { return try await coalescer.answer(for: 7) { backend.call() } }
            coalescer.prefetch(7, expiresAfter: .seconds(3_600)) {
              await Task.yield()
              return backend.call()
            }
            return nil
          }
        }
        return try await group.reduce(into: [CoalescedAnswer<Int>]()) { if let answer = $1 { $0.append(answer) } }
      }
      try await until { coalescer.snapshot.running == 0 }
      let served = answers.filter { $0.source == .prefetched }.map(\.value)
      let shared = answers.filter { $0.source != .prefetched }.map(\.value)
      #expect(Set(served).count == served.count)
      #expect(Set(served).isDisjoint(with: shared))
      #expect(Set(served + shared).count + coalescer.snapshot.stored == backend.calls)
    }
  }
}
