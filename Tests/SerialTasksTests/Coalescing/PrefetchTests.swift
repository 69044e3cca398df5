import SerialTasks
import Testing

/// Guarantees, *Memory* of `TaskCoalescer`: a prefetched result is for one caller.
///
/// Its expiry is in `PrefetchExpiryTests`, its failure in `PrefetchFailureTests`.
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

  /// ```
  /// prefetch  ├─────────────── 1 ┤
  /// reader        ├─ joins ───── 1 ┤
  /// next                              ├ leads ┤
  /// ```
  /// Fails if: a prefetch that was joined is stored as well.
  @Test func aCallerThatJoinsConsumes() async throws {
    prefetch()
    let reader = asking(coalescer) { -1 }
    backend.gate.open()
    #expect(try await reader.value == .joined(1))
    #expect(coalescer.snapshot.stored == 0)
    #expect(try await coalescer.answer(for: 7) { -1 } == .led(-1))
  }

  /// Fails if: what was consumed is served again, or a caller that could be served leads.
  @Test func theFirstCallerAfterItIsServedAndConsumes() async throws {
    prefetch()
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 1, stored: 0))
    try await land()
    #expect(try await coalescer.answer(for: 7) { -1 } == .prefetched(1))
    #expect(try await coalescer.answer(for: 7) { -1 } == .led(-1))
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

  /// Who joined and left did not consume: the next is served.
  ///
  /// Fails if: the last caller to leave a prefetch cancels it.
  @Test func leavingAPrefetchLeavesItsResultForTheNext() async throws {
    prefetch()
    let readers = (1...3).map { _ in asking(coalescer) { -1 } }
    for reader in readers { reader.cancel() }
    for reader in readers { await #expect(throws: CancellationError.self) { try await reader.value } }
    try await land()
    #expect(backend.cancelled.isEmpty)
    #expect(try await coalescer.answer(for: 7) { -1 } == .prefetched(1))
  }

  /// Fails if: a prefetch starts a second flight, or replaces what is stored.
  @Test func whereSomethingRunsOrIsKeptAPrefetchDoesNothing() async throws {
    let leader = asking(coalescer) { await reads.fetch() }
    prefetch()
    #expect(backend.calls == 0)
    reads.gate.open()
    #expect(try await leader.value == .led(1))
    #expect(coalescer.snapshot.stored == 0)
    prefetch()
    prefetch()
    try await land()
    prefetch()
    #expect(backend.calls == 1)
    #expect(try await coalescer.answer(for: 7) { -1 } == .prefetched(1))
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
