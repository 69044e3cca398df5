import CoalescingTasks
import TestWatch
import Testing

/// Contracts that stop the program, and what they say when they do.
struct ContractTests {
  @Test(arguments: [0, -1]) func aCapacityBelowOne(capacity: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
      _ = SerialTaskExecutor(capacity: capacity)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("capacity must be at least 1, but is \(capacity)"), "\(message)")
  }

  /// Fails if: it is only looked at when the first key comes.
  @Test(arguments: [0, -1]) func aCapacityPerKeyBelowOne(capacity: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
      _ = KeyedSerialTaskExecutor<Int>(capacityPerKey: capacity)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("capacityPerKey must be at least 1, but is \(capacity)"), "\(message)")
  }

  /// Fails if: it is looked at only where there are no keys.
  @Test(arguments: [0, -1]) func aCapacityOverAllKeysBelowOne(capacity: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
      _ = KeyedSerialTaskExecutor<Int>(capacity: capacity)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("capacity must be at least 1, but is \(capacity)"), "\(message)")
  }

  /// Fails if: nothing looks at it before the first read comes, or it traps without a word.
  @Test(arguments: [0, -1]) func aMaximumOfConcurrentReadsBelowOne(limit: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [limit] in
      _ = CoalescingTaskExecutor<Int>(maximumConcurrentReads: limit)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("maximumConcurrentReads must be at least 1, but is \(limit)"), "\(message)")
  }

  /// Fails if: it is looked at only where there are writes alone.
  @Test(arguments: [0, -1]) func aCapacityOfReadsAndWritesBelowOne(capacity: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
      _ = CoalescingTaskExecutor<Int>(capacity: capacity)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("capacity must be at least 1, but is \(capacity)"), "\(message)")
  }

  @Test(arguments: [0, -1]) func aJoinWindowThatIsNotPositive(seconds: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [seconds] in
      _ = TaskCoalescer<Int, Int>(joinWindow: .seconds(seconds))
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("joinWindow must be positive, but is \(seconds).0 seconds"), "\(message)")
  }

  @Test func aRenewalAheadThatIsNegative() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RenewingValue<Int>(renewAhead: .seconds(-1)) { _ in Renewed(1, validFor: .seconds(60)) }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("renewAhead must not be negative, but is -1.0 seconds"), "\(message)")
  }

  /// Fails if: a pause of less than no time is accepted.
  @Test func aPauseAfterFailureThatIsNegative() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RenewingValue<Int>(pauseAfterFailure: .seconds(-1)) { _ in Renewed(1, validFor: .seconds(60)) }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("pauseAfterFailure must not be negative, but is -1.0 seconds"), "\(message)")
  }

  @Test(arguments: [0, -1]) func aJoinWindowOfRenewalsThatIsNotPositive(seconds: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [seconds] in
      _ = RenewingValue<Int>(joinWindow: .seconds(seconds)) { _ in Renewed(1, validFor: .seconds(60)) }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("joinWindow must be positive, but is \(seconds).0 seconds"), "\(message)")
  }

  @Test func outsideAJob() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SerialTaskExecutor(name: "notes").preconditionInJob("flush() is only for jobs")
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("expected to run in a job of notes: flush() is only for jobs"), "\(message)")
  }

  /// Fails if: a limit that every turn exceeds is accepted.
  @Test func aLimitOnTurnsThatIsNotPositive() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = SerialTaskExecutor(reportsTurnsLongerThan: .zero)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("reportsTurnsLongerThan must be positive, but is 0.0 seconds"), "\(message)")
  }

  /// Fails if: a read or a write is taken for one of any executor, or it says nothing.
  @Test(.enabled(if: childrenAreCertain)) func outsideAReadOrWrite() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let notes = CoalescingTaskExecutor<Int>(name: "notes")
      let other = CoalescingTaskExecutor<Int>(name: "other")
      try await other.write { notes.preconditionInJob("flush() is only for jobs") }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("expected to run in a job of notes: flush() is only for jobs"), "\(message)")
  }

  @Test(.enabled(if: childrenAreCertain)) func inAJobOfAnotherKey() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let executor = KeyedSerialTaskExecutor<String>(name: "accounts")
      try await executor.enqueue(for: "ann") { executor.preconditionInJob(for: "bob", "flush() is only for jobs") }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("expected to run in a job of accounts[bob]: flush() is only for jobs"), "\(message)")
  }

  @Test(.enabled(if: childrenAreCertain)) func inAnUnstructuredTaskOfAJob() async {
    await #expect(processExitsWith: .failure) {
      let executor = SerialTaskExecutor()
      try await executor.enqueue { await Task { executor.preconditionInJob() }.value }
    }
  }

  @Test func insideAJob() async {
    await #expect(processExitsWith: .success) {
      let executor = SerialTaskExecutor()
      try await executor.enqueue { executor.preconditionInJob() }
    }
  }
}
