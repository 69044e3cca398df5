import SerialTasks
import Testing

/// Guarantees, *Overlap* and *Memory* of `CoalescingTaskExecutor`: equal reads are one if no write stands between them.
@Suite(.watched) struct ReadMergingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()

  /// Fails if: a read does not join the one that runs, or other keys do.
  @Test func equalReadsAreOne() async throws {
    let reads = (0..<100).map { _ in reading(executor, "a") { await backend.fetch() } }
    let other = reading(executor, "b") { await backend.fetch() }
    #expect(executor.counts == [0, 2])
    backend.gate.open()
    for read in reads { #expect(try await read.value == 1) }
    #expect(try await other.value == 2)
    #expect(backend.calls == 2)
  }

  /// Fails if: only a read that runs can be joined.
  @Test func readsThatWaitAreOne() async throws {
    let held = await HeldJob.writing(executor)
    let reads = ["a", "b", "a", "b", "a"].map { key in reading(executor, key) { (key, backend.call()) } }
    #expect(executor.snapshot.waiting == 2)
    try await held.release()
    for (read, key) in zip(reads, ["a", "b", "a", "b", "a"]) { #expect(try await read.value.0 == key) }
    #expect(backend.calls == 2)
  }

  /// ```
  /// first   ├─ reads 1 ──────┤
  /// write      ├ waits ──────┼─ runs ─┤
  /// second         ├ waits ──────────┼─ reads 2 ┤
  /// third             ├ joins second ──────── 2 ┤
  /// ```
  /// Fails if: a read joins a flight that started before a write that it stands behind.
  @Test func noReadIsJoinedAcrossAWriteThatWaits() async throws {
    let first = reading(executor, "a") { await backend.fetch() }
    let write = writing(executor) {}
    let (second, third) = (
      reading(executor, "a") { await backend.fetch() }, reading(executor, "a") { await backend.fetch() }
    )
    #expect(executor.counts == [2, 1])
    backend.gate.open()
    #expect(try await first.value == 1)
    try await write.value
    #expect(try await second.value == 2)
    #expect(try await third.value == 2)
  }

  /// Fails if: a write that runs, or one that was submitted, does not count.
  @Test func noReadIsJoinedAcrossAWriteThatRuns() async throws {
    let held = await HeldJob.writing(executor)
    let before = reading(executor, "a") { backend.call() }
    executor.submitWrite {}
    let after = reading(executor, "a") { backend.call() }
    try await held.release()
    #expect(try await before.value == 1)
    #expect(try await after.value == 2)
  }

  /// The promise that the package is for, also without waiting for the write.
  ///
  /// Fails if: a read that is placed behind a write overtakes it, or is given what was on its way before.
  @Test func aReadBehindAWriteReadsWhatItWrote() async throws {
    let (store, gate) = (Log<Int>(), Gate())
    let early = reading(executor, "count") {
      await gate.pass()
      return store.entries.count
    }
    for count in 1...10 {
      executor.submitWrite {
        await Task.yield()
        store(count)
      }
      if count == 1 { gate.open() }
      #expect(try await executor.read("count") { store.entries.count } == count)
    }
    #expect(try await early.value == 0)
  }

  /// When the write between reads leaves, they are neighbours: what comes then may join reads of either, the later first.
  ///
  /// Fails if: reads that have come to stand next to each other stay apart.
  @Test(arguments: [false, true]) func acrossAWriteThatHasLeft(theyWait: Bool) async throws {
    let held = theyWait ? await HeldJob.writing(executor) : nil
    let first = reading(executor, "a") { await backend.fetch() }
    let write = writing(executor) {}
    let second = reading(executor, "b") { await backend.fetch() }
    write.cancel()
    await #expect(throws: CancellationError.self) { try await write.value }
    let joiners = ["a", "b"].map { key in reading(executor, key) { await backend.fetch() } }
    #expect(executor.counts == (theyWait ? [2, 0] : [0, 2]))
    try await held?.release()
    backend.gate.open()
    let answers = [try await first.value, try await second.value]
    #expect(try await [joiners[0].value, joiners[1].value] == answers)
    #expect(backend.calls == 2)
  }

  /// Fails if: a result is kept for later reads.
  @Test func nothingIsStored() async throws {
    for call in 1...3 { #expect(try await executor.read("a") { backend.call() } == call) }
  }

  /// Fails if: the value type or the failure type is not a part of what makes reads one. (Then this traps, or worse.)
  @Test func equalKeysOfOtherTypesRunSideBySide() async throws {
    let gate = Gate()
    let number = reading(executor, "a") { await backend.fetch() }
    let text = reading(executor, "a") { "\(await backend.fetch())" }
    let optional = reading(executor, "a") { () -> Int? in await backend.fetch() }
    let typed = Task.immediate {
      try await executor.read("a", rejectedAs: { $0 }) { () async throws(JobRejection) -> Int in await backend.fetch() }
    }
    let nothing = reading(executor, "a") { await gate.pass() }
    #expect(executor.counts == [0, 5])
    let joiner = reading(executor, "a") { "" }
    backend.gate.open()
    gate.open()
    #expect(try await number.value == 1)
    #expect(try await text.value == "2")
    #expect(try await joiner.value == "2")
    #expect(try await optional.value == 3)
    #expect(try await typed.value == 4)
    try await nothing.value
  }

  /// Joined beside the limit: a caller that joins takes no room.
  ///
  /// Fails if: joiners count as reads.
  @Test func joinersTakeNoRoom() async throws {
    let executor = CoalescingTaskExecutor<String>(maximumConcurrentReads: 1)
    let reads = ["a", "b", "a", "b"].map { key in reading(executor, key) { await backend.fetch() } }
    #expect(executor.counts == [1, 1])
    backend.gate.open()
    for (read, call) in zip(reads, [1, 2, 1, 2]) { #expect(try await read.value == call) }
  }
}
