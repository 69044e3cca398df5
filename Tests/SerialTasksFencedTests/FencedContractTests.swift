import SerialTasksFenced
import Testing

/// Contracts that stop the program, and what they say when they do.
///
/// Not watched: it waits for other processes.
@Suite struct FencedContractTests {
  /// Fails if: it is only looked at when the first job comes, or it traps without a word.
  @Test(arguments: [0, -1]) func aCapacityPerKeyBelowOne(capacity: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
      _ = FencedSerialTaskExecutor(access: Engine(), capacityPerKey: capacity)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("capacityPerKey must be at least 1, but is \(capacity)"), "\(message)")
  }

  /// Fails if: it is not given to the line, or it traps without a word.
  @Test(arguments: [0, -1]) func aCapacityOverAllKeysBelowOne(capacity: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
      _ = FencedSerialTaskExecutor(access: Engine(), capacity: capacity)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("capacity must be at least 1, but is \(capacity)"), "\(message)")
  }

  /// Fails if: access could never be given back, or it traps without a word.
  @Test(arguments: [0, -1]) func lessThanOneJobPerAccess(jobs: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [jobs] in
      _ = FencedSerialTaskExecutor(access: Engine(), jobsPerAccess: jobs)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("jobsPerAccess must be at least 1, but is \(jobs)"), "\(message)")
  }
}
