import CoalescingTasks
import Testing

/// Guarantees, *Memory* of `TaskCoalescer`: a prefetched result is for one caller.
///
/// Its expiry is in `PrefetchExpiryTests`.
@Suite(.watched) struct PrefetchTests {
  let backend = Backend()
  let reads = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  private func prefetch() { coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { await backend.fetch() } }

  /// Lets the prefetch land, and returns when what it returned is stored.
  private func land() async throws {
    backend.gate.open()
    try await until { coalescer.snapshot.stored > 0 }
  }

  /// At once: what was submitted to the main actor before cannot slip in.
  @Test @MainActor func beingServedIsNoSuspension() async throws {
    prefetch()
    try await land()
    let log = Log<String>()
    let other = Task { @MainActor in log("other") }
    _ = try await coalescer.value(for: 7) { -1 }
    log("served")
    await other.value
    #expect(log.entries == ["served", "other"])
  }

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

  /// Fails if: two consumers of one stored result are both served it.
  @Test func ofAThousandConsumersOneWins() async throws {
    prefetch()
    try await land()
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<1_000 {
        group.addTask {
          try await coalescer.answer(for: 7) {
            await Task.yield()
            return 1 + reads.call()
          }
        }
      }
      return try await group.reduce(into: [CoalescedAnswer<Int>]()) { $0.append($1) }
    }
    #expect(answers.filter { $0.source == .prefetched } == [.prefetched(1)])
    #expect(answers.count { $0.source == .led } == reads.calls)
    #expect(Set(answers.map(\.value)).count == 1 + reads.calls)
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
  }
}
