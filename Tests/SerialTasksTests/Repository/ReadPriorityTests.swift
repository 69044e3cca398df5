import CoalescingTasks
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

  /// Fails if: an urgent caller that joins a read does not raise it.
  @Test func anUrgentCallerRaisesTheReadThatItJoins() async throws {
    let low = await backgroundRead("a", in: executor)
    let urgent = reading(executor, "a", priority: .high) {}
    gate.open()
    try await urgent.value
    #expect(low.entries.allSatisfy { $0 >= .high } && low.entries.count == 1)
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
