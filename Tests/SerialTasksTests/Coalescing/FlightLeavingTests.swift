import SerialTasks
import Testing

/// Guarantees, *Cancelled before the call* to *Cancelled while running* of `TaskCoalescer`: each caller leaves for
/// itself, and the operation is cancelled when the last has left.
@Suite(.watched) struct FlightLeavingTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  private func expectCancelled(_ call: Task<CoalescedAnswer<Int>, any Error>) async {
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  /// The backend holds its answer back until the one who leaves has been answered.
  ///
  /// Fails if: a caller that is cancelled waits for the flight, or takes the others along.
  @Test func aJoinerLeaves() async throws {
    let leader = asking(coalescer) { await backend.fetch() }
    let joiners = (1...2).map { _ in asking(coalescer) { await backend.fetch() } }
    joiners[0].cancel()
    await expectCancelled(joiners[0])
    #expect(coalescer.snapshot.waiting == 2)
    backend.gate.open()
    #expect(try await leader.value == .led(1))
    #expect(try await joiners[1].value == .joined(1))
    #expect(backend.cancelled.isEmpty)
  }

  /// ```
  /// leader  ├─ leads ── cancelled ┤
  /// joiners    ├─ join ────────────────── 1 ┤  three of them
  /// ```
  /// Fails if: the leader's leaving cancels the operation, or ends the flight for the others.
  @Test func theLeaderLeavesWithThreeJoiners() async throws {
    let leader = asking(coalescer) { await backend.fetch() }
    let joiners = (1...3).map { _ in asking(coalescer) { await backend.fetch() } }
    leader.cancel()
    await expectCancelled(leader)
    let late = asking(coalescer) { await backend.fetch() }
    backend.gate.open()
    for joiner in joiners + [late] { #expect(try await joiner.value == .joined(1)) }
    #expect(backend.calls == 1)
    #expect(backend.cancelled.isEmpty)
  }

  /// Fails if: an operation that no caller waits for any more is not cancelled, or keeps its key.
  @Test func whenTheLastLeavesTheOperationIsCancelled() async throws {
    let ended = Gate()
    let calls = (1...3).map { _ in
      asking(coalescer) {
        let answer = await backend.fetch()
        await ended.pass()
        return answer
      }
    }
    for call in calls { call.cancel() }
    #expect(coalescer.snapshot == CoalescerSnapshot(flights: 0, waiting: 0, stored: 0))
    for call in calls { await expectCancelled(call) }
    backend.gate.open()
    await ended.arrived()
    #expect(backend.cancelled == [1])
    ended.open()
  }

  /// ```
  /// last    ├─ leads ─ cancelled ┤
  /// its operation                ············· 1 ┤  winds down, and lands nowhere
  /// new                             ├─ leads ────────── 10 ┤
  /// later                                      ├─ joins ─ 10 ┤
  /// ```
  /// Fails if: a caller that comes while a cancelled operation winds down joins it, or that operation clears the new entry.
  @Test func aNewCallerStartsAfreshWhileTheCancelledOneWindsDown() async throws {
    let events = EventLog()
    let coalescer = TaskCoalescer<Int, Int> { events($0) }
    let last = asking(coalescer) { await backend.fetch() }
    last.cancel()
    let fresh = Backend()
    let new = asking(coalescer) { 10 * (await fresh.fetch()) }
    await expectCancelled(last)
    backend.gate.open()
    try await events.first { if case .finished = $0.kind { true } else { false } }
    let later = asking(coalescer) { 10 * (await fresh.fetch()) }
    fresh.gate.open()
    #expect(try await new.value == .led(10))
    #expect(try await later.value == .joined(10))
    #expect(backend.cancelled == [1])
    #expect(fresh.cancelled.isEmpty)
  }

  /// Fails if: a caller whose task is cancelled leads or joins before it notices.
  @Test func aCallerThatIsCancelledBeforeStartsNothing() async throws {
    let gate = Gate()
    let call = Task {
      await gate.pass()
      return try await coalescer.answer(for: 7) { backend.call() }
    }
    call.cancel()
    gate.open()
    await expectCancelled(call)
    #expect(backend.calls == 0)
  }

  /// The leader is cancelled by its own operation, before that has suspended: before there is a handle to cancel it by.
  ///
  /// Fails if: a cancellation that comes before the leader has parked is lost.
  @Test func theLeaderIsCancelledWhileItsOperationBegins() async throws {
    let own = Log<Task<CoalescedAnswer<Int>, any Error>>()
    let gate = Gate()
    let leader = Task {
      await gate.pass()
      return try await coalescer.answer(for: 7) {
        own.entries[0].cancel()
        return await backend.fetch()
      }
    }
    own(leader)
    gate.open()
    await expectCancelled(leader)
    #expect(coalescer.snapshot.flights == 0)
    let ended = Gate()
    ended.open()
    backend.gate.open()
    try await until { !backend.cancelled.isEmpty }
  }

  @Test func leavingAfterTheAnswerIsNothing() async throws {
    let call = asking(coalescer) { backend.call() }
    #expect(try await call.value == .led(1))
    call.cancel()
    #expect(try await coalescer.answer(for: 7) { backend.call() } == .led(2))
  }

  /// Many come and leave while one stays.
  @Test func aThousandLeave() async throws {
    let stays = asking(coalescer) { await backend.fetch() }
    let calls = (1...1_000).map { _ in asking(coalescer) { await backend.fetch() } }
    for call in calls { call.cancel() }
    #expect(coalescer.snapshot.waiting == 1)
    for call in calls { await expectCancelled(call) }
    backend.gate.open()
    #expect(try await stays.value == .led(1))
  }
}
