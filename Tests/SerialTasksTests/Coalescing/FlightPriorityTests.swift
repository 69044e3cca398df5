import CoalescingTasks
import Testing

/// README, *Order*: a caller of higher priority than the operation raises it.
@Suite(.watched) struct FlightPriorityTests {
  let gate = Gate()
  let coalescer = TaskCoalescer<Int, TaskPriority>()

  /// The operation has not suspended yet, so there is no handle to raise it by.
  ///
  /// Fails if: a raise that comes before the handle is known is lost.
  @Test func anUrgentJoinerThatComesWhileTheOperationBegins() async throws {
    let joiners = Log<Task<TaskPriority, any Error>>()
    let low = Task.detached(priority: .background) {
      try await coalescer.value(for: 7) {
        joiners(Task.immediate(priority: .high) { try await coalescer.value(for: 7) { .low } })
        await gate.pass()
        return await raised(to: .high)
      }
    }
    await gate.arrived()
    gate.open()
    #expect(try await low.value >= .high)
    #expect(try await joiners.entries[0].value >= .high)
  }

  /// Whatever is said counts, and else the leader's priority.
  @Test func anOperationHasThePriorityThatWasAskedFor() async throws {
    #expect(try await coalescer.value(for: 7, priority: .low) { Task.basePriority ?? .high } == .low)
    let leader = Task.detached(priority: .background) {
      try await coalescer.value(for: 7) {
        await gate.pass()
        return Task.basePriority ?? .high
      }
    }
    await gate.arrived()  // before anybody who waits for the leader raises it
    gate.open()
    #expect(try await leader.value == .background)
  }

  /// A leader that was raised before it leads waits at its raised priority.
  ///
  /// Fails if: the operation of a leader that was raised runs at the priority the leader began with.
  @Test func aLeaderThatWasRaised() async throws {
    let leader = Task.detached(priority: .background) {
      await gate.pass()
      return try await coalescer.value(for: 7) {
        await Task.yield()
        return Task.currentPriority
      }
    }
    await gate.arrived()
    leader.escalatePriority(to: .high)
    gate.open()
    #expect(try await leader.value >= .high)
  }
}
