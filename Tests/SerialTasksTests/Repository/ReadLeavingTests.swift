import SerialTasks
import Testing

/// Guarantees, *Cancelled before the call* to *Cancelled while running* of `CoalescingTaskExecutor`: a reader that is
/// cancelled, at each moment.
@Suite(.watched) struct ReadLeavingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()

  private func expectCancelled<Value>(
    _ call: Task<Value, any Error>, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { _ = try await call.value }
  }

  /// Fails if: a caller whose task is cancelled takes a place or joins before it notices.
  @Test func beforeTheCall() async throws {
    let gate = Gate()
    let call = Task {
      await gate.pass()
      return try await executor.read("a") { backend.call() }
    }
    call.cancel()
    gate.open()
    await expectCancelled(call)
    #expect(backend.calls == 0 && executor.counts == [0, 0])
  }

  /// ```
  /// held   ├ writes ───────────────────┤
  /// read      ├ waits ─ cancelled ┤         its place vanishes
  /// write        ├ waits ──────────────┼ runs ┤
  /// ```
  /// Fails if: a read that no caller wants any more keeps its place, or runs.
  @Test func waitingInABatchThatWaits() async throws {
    let held = await HeldJob.writing(executor)
    let read = reading(executor, "a") { backend.call() }
    let write = writing(executor) {}
    #expect(executor.snapshot.waiting == 2)
    read.cancel()
    await expectCancelled(read)
    #expect(executor.snapshot.waiting == 1)
    try await held.release()
    try await write.value
    #expect(backend.calls == 0)
  }

  /// One of two neighbouring reads leaves, first or last; the other runs.
  @Test(arguments: [0, 1]) func waitingBesideAnother(leaver: Int) async throws {
    let held = await HeldJob.writing(executor)
    let reads = ["a", "b"].map { key in reading(executor, key) { backend.call() } }
    reads[leaver].cancel()
    await expectCancelled(reads[leaver])
    #expect(executor.snapshot.waiting == 1)
    try await held.release()
    #expect(try await reads[1 - leaver].value == 1)
  }

  /// Fails if: a read that waits for room is counted or begun after it has left, or those behind it do not move up.
  @Test func waitingForRoomInABatchThatRuns() async throws {
    let executor = CoalescingTaskExecutor<String>(maximumConcurrentReads: 1)
    let held = await HeldJob.reading(executor, "held")
    let reads = ["a", "b"].map { key in reading(executor, key) { backend.call() } }
    let write = writing(executor) {}
    reads[0].cancel()
    await expectCancelled(reads[0])
    #expect(executor.counts == [2, 1])
    try await held.release()
    #expect(try await reads[1].value == 1)
    try await write.value
  }

  /// Between the grant and the beginning: the leader has its place and its turn, and is still in the event that says it waits.
  /// (A leader cannot leave there, for it has not begun to wait; that is a matter of the state, and of `ReadRaceTests`.)
  ///
  /// Fails if: a read that was granted its turn and then withdrawn runs, or the turn is lost with it.
  @Test func grantedAndWithdrawn() async throws {
    let box = Log<CoalescingTaskExecutor<String>>()
    let executor = CoalescingTaskExecutor<String>(name: "notes") { event in
      guard case .waiting = event.kind, event.job == "read" else { return }
      box.entries[0].resume()
      box.entries[0].cancelAll()
    }
    box(executor)
    executor.pause()
    let read = reading(executor, "a", name: "read") { backend.call() }
    await #expect(throws: JobRejection.withdrawn) { try await read.value }
    #expect(try await executor.write { backend.call() } == 1)
    try await executor.drain()
  }

  /// A read that was granted its turn is joined by a caller that does not wait, and a pause puts the read back before it begins.
  ///
  /// Fails if: such a caller waits for the end of the pause. (Then nothing goes on.)
  @Test func grantedAndPutBackWithoutTime() async throws {
    for _ in 0..<200 {
      let executor = CoalescingTaskExecutor<String>()
      let read = executor.submitRead("a") { 1 }
      let hurried = Task.immediate { try await executor.read("a", waitingAtMost: .zero) { 2 } }
      executor.pause()
      switch await hurried.result {
      case .success(let value): #expect(value == 1 || value == 2)
      case .failure(let error): #expect(error as? JobRejection == .late)
      }
      executor.resume()
      #expect(try await read.value == 1)
    }
  }

  /// Paused after the grant, a read waits again, and leaves from there.
  ///
  /// Fails if: a pause that comes between the grant and the beginning is forgotten, or no job has the turn.
  @Test func grantedAndPutBack() async throws {
    let box = Log<CoalescingTaskExecutor<String>>()
    let executor = CoalescingTaskExecutor<String>(name: "notes") { event in
      guard case .waiting = event.kind, event.job == "read" else { return }
      box.entries[0].resume()
      box.entries[0].pause()
    }
    box(executor)
    executor.pause()
    let read = reading(executor, "a", name: "read") { backend.call() }
    #expect(executor.counts == [1, 0] && backend.calls == 0)
    let write = writing(executor) { backend.call() }
    read.cancel()
    await expectCancelled(read)
    #expect(executor.counts == [1, 0])
    executor.resume()
    #expect(try await write.value == 1)
  }

  /// ```
  /// read   ├ runs ─ cancelled ┤
  /// its operation             ········ ends ┤
  /// write      ├ waits ─────────────────────┼ runs ┤
  /// ```
  /// Fails if: the operation of a read that no caller wants is not cancelled, or the next write does not wait for its end.
  @Test func runningAlone() async throws {
    let read = reading(executor, "a") { await backend.fetch() }
    let write = writing(executor) { backend.call() }
    read.cancel()
    await expectCancelled(read)
    #expect(executor.counts == [1, 1])
    backend.gate.open()
    #expect(try await write.value == 2)
    #expect(backend.cancelled == [1])
  }

  /// Fails if: the caller that leaves takes another read along.
  @Test func runningBesideAnother() async throws {
    let other = Backend()
    let read = reading(executor, "a") { await backend.fetch() }
    let stays = reading(executor, "b") { await other.fetch() }
    read.cancel()
    await expectCancelled(read)
    backend.gate.open()
    try await until { executor.counts == [0, 1] }
    other.gate.open()
    #expect(try await stays.value == 1)
    #expect(backend.cancelled == [1] && other.cancelled.isEmpty)
  }

  /// Fails if: a leader's or a joiner's leaving cancels the operation, or ends the flight for the others.
  @Test(arguments: [false, true], [0, 1]) func whileOthersStay(theyWait: Bool, leaver: Int) async throws {
    let held = theyWait ? await HeldJob.writing(executor) : nil
    let reads = (0..<3).map { _ in reading(executor, "a") { await backend.fetch() } }
    reads[leaver].cancel()
    await expectCancelled(reads[leaver])
    let late = reading(executor, "a") { await backend.fetch() }
    try await held?.release()
    backend.gate.open()
    for (index, read) in reads.enumerated() where index != leaver { #expect(try await read.value == 1) }
    #expect(try await late.value == 1)
    #expect(backend.calls == 1 && backend.cancelled.isEmpty)
  }

  /// Fails if: a caller that comes while a cancelled read winds down joins it, or what winds down clears the new entry.
  @Test func aLaterCallerStartsAfresh() async throws {
    let read = reading(executor, "a") { await backend.fetch() }
    read.cancel()
    let fresh = Backend()
    let new = reading(executor, "a") { 10 * (await fresh.fetch()) }
    await expectCancelled(read)
    #expect(executor.counts == [0, 2])
    backend.gate.open()
    try await until { executor.counts == [0, 1] }
    let joiner = reading(executor, "a") { 10 * (await fresh.fetch()) }
    fresh.gate.open()
    #expect(try await new.value == 10)
    #expect(try await joiner.value == 10)
    #expect(backend.cancelled == [1] && fresh.cancelled.isEmpty)
  }

  @Test func afterTheEnd() async throws {
    let read = reading(executor, "a") { backend.call() }
    #expect(try await read.value == 1)
    read.cancel()
    #expect(try await executor.read("a") { backend.call() } == 2)
  }
}
