import CoalescingTasks
import TestWatch
import Testing

/// Contracts that stop the program, and what they say when they do.
///
/// Not watched: it waits for other processes.
@Suite struct ContractTests {
  /// What must not be done.
  enum Trap: String, CaseIterable, Codable {
    case capacity, capacityOverKeys, capacityPerKey, capacityOfReads, reads, window, windowOfRenewals, ahead, pause,
      turns
    case outside, outsideAWrite, anotherKey, copy

    /// What is too little.
    var numbers: [Int] {
      switch self {
      case .capacity, .capacityOverKeys, .capacityPerKey, .capacityOfReads, .reads, .window, .windowOfRenewals: [0, -1]
      case .ahead, .pause: [-1]
      case .turns: [0]
      case .outside, .outsideAWrite, .anotherKey, .copy: [1]
      }
    }

    func message(_ number: Int) -> String {
      switch self {
      case .capacity, .capacityOverKeys, .capacityOfReads: "capacity must be at least 1, but is \(number)"
      case .capacityPerKey: "capacityPerKey must be at least 1, but is \(number)"
      case .reads: "maximumConcurrentReads must be at least 1, but is \(number)"
      case .window, .windowOfRenewals: "joinWindow must be positive, but is \(number).0 seconds"
      case .ahead: "renewAhead must not be negative, but is \(number).0 seconds"
      case .pause: "pauseAfterFailure must not be negative, but is \(number).0 seconds"
      case .turns: "reportsTurnsLongerThan must be positive, but is \(number).0 seconds"
      case .outside, .outsideAWrite: "expected to run in a job of notes: flush() is only for jobs"
      case .anotherKey: "expected to run in a job of accounts[bob]: flush() is only for jobs"
      case .copy: "expected to run in a job of SerialTaskExecutor#"
      }
    }

    func spring(_ number: Int) async throws {
      let line = SerialTaskExecutor(name: "notes")
      let renew: @Sendable (Int?) async throws -> Renewed<Int> = { _ in Renewed(1, validFor: .seconds(60)) }
      switch self {
      case .capacity: _ = SerialTaskExecutor(capacity: number)
      case .capacityOverKeys: _ = KeyedSerialTaskExecutor<Int>(capacity: number)
      case .capacityPerKey: _ = KeyedSerialTaskExecutor<Int>(capacityPerKey: number)
      case .capacityOfReads: _ = CoalescingTaskExecutor<Int>(capacity: number)
      case .reads: _ = CoalescingTaskExecutor<Int>(maximumConcurrentReads: number)
      case .window: _ = TaskCoalescer<Int, Int>(joinWindow: .seconds(number))
      case .windowOfRenewals: _ = RenewingValue<Int>(joinWindow: .seconds(number), renew: renew)
      case .ahead: _ = RenewingValue<Int>(renewAhead: .seconds(number), renew: renew)
      case .pause: _ = RenewingValue<Int>(pauseAfterFailure: .seconds(number), renew: renew)
      case .turns: _ = SerialTaskExecutor(reportsTurnsLongerThan: .seconds(number))
      case .outside: line.preconditionInJob("flush() is only for jobs")
      case .outsideAWrite:
        let (notes, other) = (CoalescingTaskExecutor<Int>(name: "notes"), CoalescingTaskExecutor<Int>(name: "other"))
        try await other.write { notes.preconditionInJob("flush() is only for jobs") }
      case .anotherKey:
        let bank = KeyedSerialTaskExecutor<String>(name: "accounts")
        try await bank.enqueue(for: "ann") { bank.preconditionInJob(for: "bob", "flush() is only for jobs") }
      case .copy:
        let line = SerialTaskExecutor()
        try await line.enqueue { await Task { line.preconditionInJob() }.value }
      }
    }

    /// Whether it is one where no child can be told from a copy.
    var isCertain: Bool { childrenAreCertain || ![.outsideAWrite, .anotherKey, .copy].contains(self) }
  }

  /// Fails if: one is looked at only when the first job comes, or not for each type, or it traps without a word.
  @Test(arguments: Trap.allCases.filter(\.isCertain).flatMap { trap in trap.numbers.map { (trap, $0) } })
  func traps(_ trap: Trap, _ number: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [trap, number] in
      try await trap.spring(number)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains(trap.message(number)), "\(message)")
  }

  /// Fails if: it stops a program that is in a job.
  @Test func insideAJob() async {
    await #expect(processExitsWith: .success) {
      let executor = SerialTaskExecutor()
      try await executor.enqueue { executor.preconditionInJob() }
    }
  }
}
