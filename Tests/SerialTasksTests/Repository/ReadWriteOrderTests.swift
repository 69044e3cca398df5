import SerialTasks
import Testing

/// Guarantees, *Order* and *Overlap* of `CoalescingTaskExecutor`: one line, a write runs alone, neighbouring reads run
/// together, and no job waits for ever.
@Suite(.watched) struct ReadWriteOrderTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  /// Fails if: a write shares the turn, or a read begins while a write runs.
  @Test(arguments: [nil, 1, 2] as [Int?]) func aWriteRunsAlone(limit: Int?) async throws {
    let executor = CoalescingTaskExecutor<Int>(maximumConcurrentReads: limit)
    let (all, writers) = (Exclusion(), Exclusion())
    let overlaps = Log<Int>()
    try await withThrowingTaskGroup { group in
      for index in 0..<300 {
        group.addTask {
          if index % 3 == 0 {
            try await executor.write {
              all.enter()
              writers.enter()
              await Task.yield()
              if all.inside != 1 { overlaps(index) }
              writers.leave()
              all.leave()
            }
          } else {
            try await executor.read(index % 7) {
              all.enter()
              if writers.inside != 0 { overlaps(index) }
              await Task.yield()
              if writers.inside != 0 { overlaps(index) }
              all.leave()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(overlaps.entries.isEmpty)
    #expect(writers.entries == 100)
    #expect(executor.snapshot.waiting == 0 && !executor.snapshot.isWriting && executor.snapshot.reading == 0)
  }

  /// Fails if: reads wait for each other.
  @Test func neighbouringReadsRunAtTheSameTime() async throws {
    let gate = Gate()
    let reads = ["a", "b", "c"].map { key in reading(executor, key) { await gate.pass() } }
    await gate.arrived(3)
    #expect(executor.counts == [0, 3])
    gate.open()
    for read in reads { try await read.value }
    #expect(executor.counts == [0, 0])
  }

  /// The same where they have waited behind a write.
  ///
  /// Fails if: of neighbouring reads only the first begins.
  @Test func readsThatHaveWaitedRunAtTheSameTime() async throws {
    let held = await HeldJob.writing(executor)
    let gate = Gate()
    let reads = ["a", "b", "c"].map { key in reading(executor, key) { await gate.pass() } }
    #expect(executor.counts == [3, 0] && executor.snapshot.isWriting)
    try await held.release()
    await gate.arrived(3)
    #expect(executor.counts == [0, 3] && !executor.snapshot.isWriting)
    gate.open()
    for read in reads { try await read.value }
  }

  /// Fails if: the limit is off by one, is forgotten when reads have waited, or no read takes the room of one that has ended.
  @Test(arguments: [1, 2], [false, true]) func noMoreReadsThanTheLimit(limit: Int, haveWaited: Bool) async throws {
    let executor = CoalescingTaskExecutor<Int>(maximumConcurrentReads: limit)
    let held = haveWaited ? await HeldJob.writing(executor) : nil
    let (exclusion, gate) = (Exclusion(), Gate())
    let reads = (0..<6).map { key in
      reading(executor, key) { [log] in
        exclusion.enter()
        log("\(key)")
        await gate.pass()
        exclusion.leave()
      }
    }
    try await held?.release()
    await gate.arrived(limit)
    #expect(executor.counts == [6 - limit, limit])
    gate.open()
    for read in reads { try await read.value }
    #expect(exclusion.most == limit)
    if limit == 1 { #expect(log.entries == (0..<6).map { "\($0)" }) }
  }

  /// ```
  /// read    ├─ runs ─────┤
  /// write      ├ waits ──┼─ runs ─┤
  /// late          ├ waits ─────────┼─ runs ─┤
  /// ```
  /// Fails if: a read overtakes a write that waits.
  @Test func aReadWaitsBehindAWriteThatWaits() async throws {
    let held = await HeldJob.reading(executor, "a")
    let gate = Gate()
    let write = writing(executor) { [log] in
      log("write")
      await gate.pass()
    }
    let late = reading(executor, "b") { [log] in log("late") }
    #expect(executor.counts == [2, 1])
    try await held.release()
    await gate.arrived()
    #expect(log.entries == ["write"] && executor.snapshot.isWriting)
    gate.open()
    try await write.value
    try await late.value
    #expect(log.entries == ["write", "late"])
  }

  /// Fails if: a write begins when the first of several reads has ended.
  @Test func aWriteWaitsForEveryReadBeforeIt() async throws {
    let held = [await HeldJob.reading(executor, "a"), await HeldJob.reading(executor, "b")]
    let write = writing(executor) { [log] in log("write") }
    try await held[1].release()
    #expect(executor.counts == [1, 1] && log.entries.isEmpty)
    try await held[0].release()
    try await write.value
  }

  /// Fails if: places are not handed out in the order of the calls, submitted writes among them.
  @Test func everythingRunsInTheOrderOfItsPlaces() async throws {
    let held = await HeldJob.writing(executor)
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<20 {
      tasks.append(reading(executor, "a") { [log] in log("read \(index)") })
      executor.submitWrite { [log] in log("submitted \(index)") }
      tasks.append(writing(executor) { [log] in log("write \(index)") })
    }
    try await held.release()
    for task in tasks { try await task.value }
    #expect(log.entries == (0..<20).flatMap { ["read \($0)", "submitted \($0)", "write \($0)"] })
  }

  /// A write that leaves from between reads lets the later reads in beside the earlier ones, at once.
  ///
  /// Fails if: the turn is not shared with reads that move up, or those who are let in are not resumed.
  @Test(arguments: [false, true]) func whenTheWriteBetweenLeaves(isSubmitted: Bool) async throws {
    let held = await HeldJob.reading(executor, "a")
    let leave: () -> Void
    if isSubmitted {
      let job = executor.submitWrite {}
      leave = { job.cancel() }
    } else {
      let call = writing(executor) {}
      leave = { call.cancel() }
    }
    let gate = Gate()
    let reads = ["b", "c"].map { key in reading(executor, key) { await gate.pass() } }
    #expect(executor.counts == [3, 1])
    leave()
    await gate.arrived(2)
    #expect(executor.counts == [0, 3])
    gate.open()
    for read in reads { try await read.value }
    try await held.release()
  }

  /// Fails if: a free write suspends, or a read waits for more than its own operation.
  @Test @MainActor func aFreeWriteCostsNoSuspension() async throws {
    let other = Task { @MainActor in log("other") }
    try await executor.write { log("write") }
    log("after")
    await other.value
    #expect(log.entries == ["write", "after", "other"])
  }

  /// Where all run on one executor, a caller sees its answer before the write that it did not see begins, and before a drain
  /// returns.
  ///
  /// Fails if: the turn is handed on, or the drain ends, before those who wait for the read are resumed.
  @Test(arguments: [false, true]) func answersComeBeforeWhatFollows(drains: Bool) async throws {
    let (thread, gate, log) = (OneThread(), Gate(), Log<String>())
    let executor = CoalescingTaskExecutor<String>()
    let readers = (0..<3).map { _ in
      thread.start {
        _ = try await executor.read("a") { await gate.pass() }
        log("answered")
      }
    }
    try await thread.allHaveParked()
    let follower = thread.start {
      if drains { try await executor.drain() } else { try await executor.write { log("follows") } }
      if drains { log("follows") }
    }
    try await thread.allHaveParked()
    gate.open()
    for reader in readers { try await reader.value }
    try await follower.value
    #expect(log.entries == ["answered", "answered", "answered", "follows"])
  }
}
