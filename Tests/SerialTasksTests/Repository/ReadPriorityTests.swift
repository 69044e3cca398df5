import SerialTasks
import Testing

/// README, *Order*: a waiting caller raises the priority of what it waits for, and of nothing else.
@Suite(.watched) struct ReadPriorityTests {
  let gate = Gate()
  let executor = CoalescingTaskExecutor<String>()

  /// A read at background priority, by a caller at background priority that no task waits for, which runs when this returns.
  private func backgroundRead(_ key: String, in executor: CoalescingTaskExecutor<String>) async -> Log<TaskPriority> {
    let (log, arrivals) = (Log<TaskPriority>(), Gate())
    arrivals.open()
    Task.detached(priority: .background) { [gate] in
      try await executor.read(key) {
        await arrivals.pass()
        await gate.pass()
        log(await raised())
      }
    }
    await arrivals.arrived()
    return log
  }

  /// Fails if: a write that waits does not raise the reads that run, one of which may be as urgent as it is already.
  @Test(arguments: [0, 1, 2]) func anUrgentWriteRaisesTheReadsThatRun(urgent: Int) async throws {
    var reads: [Log<TaskPriority>] = []
    for key in 0..<3 {
      if key == urgent {
        Task.immediate(priority: .high) { [executor, gate] in try await executor.read("urgent") { await gate.pass() } }
      } else {
        reads.append(await backgroundRead("\(key)", in: executor))
      }
    }
    let write = Task.detached(priority: .high) { [executor] in try await executor.write {} }
    try await until { executor.counts == [1, 3] }
    gate.open()
    try await write.value
    for read in reads { #expect(read.entries.allSatisfy { $0 >= .high } && read.entries.count == 1) }
  }

  /// Fails if: an urgent read that waits for room does not raise those that have it.
  @Test func anUrgentReadRaisesTheReadsItWaitsFor() async throws {
    let executor = CoalescingTaskExecutor<String>(maximumConcurrentReads: 2)
    let urgent = reading(executor, "b", priority: .high) { [gate] in await gate.pass() }
    let low = await backgroundRead("a", in: executor)
    let second = Task.detached(priority: .high) { try await executor.read("c") {} }
    try await until { executor.counts == [1, 2] }
    gate.open()
    try await second.value
    try await urgent.value
    try await executor.drain()
    #expect(low.entries.allSatisfy { $0 >= .high } && low.entries.count == 1)
  }

  /// Fails if: a joiner does not raise the read that runs.
  @Test func anUrgentJoinerRaisesTheRead() async throws {
    let low = await backgroundRead("a", in: executor)
    let joiner = Task.detached(priority: .high) { [executor] in try await executor.read("a") {} }
    gate.open()
    try await joiner.value
    #expect(low.entries.allSatisfy { $0 >= .high } && low.entries.count == 1)
  }

  /// Fails if: a joiner does not raise the write that its read stands behind, or the read itself, which has not begun.
  @Test func anUrgentJoinerRaisesWhatIsAheadOfItsRead() async throws {
    let held = await HeldJob.writing(executor)
    let log = Log<TaskPriority>()
    executor.submitWrite(priority: .background) { log(await raised()) }
    Task.detached(priority: .background) { [executor] in
      try await executor.read("a") { log(await raised()) }
    }
    try await executor.waits(for: 2)
    let joiner = Task.immediate(priority: .high) { try await executor.read("a") {} }
    #expect(executor.snapshot.waiting == 2)
    try await held.release()
    try await joiner.value
    #expect(log.entries.count == 2 && log.entries.allSatisfy { $0 >= .high })
  }

  /// Reads that come together when the write between them leaves, of which only those before it had been raised.
  ///
  /// Fails if: the whole is taken to have been raised as far as any part of it was, whichever part is the larger.
  @Test(arguments: [[1, 1], [1, 3], [3, 1]]) func readsThatComeTogetherAreRaisedTogether(reads: [Int]) async throws {
    let held = await HeldJob.writing(executor)
    let log = Log<TaskPriority>()
    func read(_ keys: Range<Int>, waiting: Int) async throws {
      for key in keys {
        Task.detached(priority: .background) { [executor] in
          try await executor.read("\(key)") { log(await raised()) }
        }
      }
      try await executor.waits(for: waiting)
    }
    try await read(0..<reads[0], waiting: reads[0])
    let between = Task.immediate(priority: .high) { [executor] in try await executor.write {} }
    try await read(10..<10 + reads[1], waiting: reads[0] + 1 + reads[1])
    between.cancel()
    _ = await between.result
    let urgent = Task.detached(priority: .high) { [executor] in try await executor.write {} }
    try await executor.waits(for: reads[0] + reads[1] + 1)
    try await held.release()
    try await urgent.value
    #expect(log.entries.count == reads[0] + reads[1] && log.entries.allSatisfy { $0 >= .high })
  }

  /// Fails if: reads that run beside an urgent one, and delay no job, are raised too.
  @Test(arguments: [false, true]) func readsBesideAnUrgentOneAreLeftAlone(isUrgentFirst: Bool) async throws {
    let (log, done) = (Log<TaskPriority>(), Gate())
    let urgent = { [executor, gate] in reading(executor, "b", priority: .high) { await gate.pass() } }
    var urgents = isUrgentFirst ? [urgent()] : []
    if isUrgentFirst { await gate.arrived() }
    Task.detached(priority: .background) { [executor, gate] in
      try await executor.read("a") {
        await gate.pass()
        log(Task.currentPriority)
        await done.pass()
      }
    }
    await gate.arrived(isUrgentFirst ? 2 : 1)
    if !isUrgentFirst { urgents = [urgent()] }
    gate.open()
    try await urgents[0].value
    await done.arrived()
    done.open()
    #expect(log.entries == [.background])
  }

  /// A read begins with the priority that was asked for; a caller that waits for it raises it to its own.
  @Test func aReadHasThePriorityThatWasAskedFor() async throws {
    let base = Task.detached(priority: .background) { [executor] in
      try await executor.read("a", priority: .high) { Task.basePriority }
    }
    #expect(try await base.value == .high)
    let current = Task.detached(priority: .high) { [executor] in
      try await executor.read("a", priority: .background) { await raised() }
    }
    #expect(try await current.value >= .high)
  }
}
