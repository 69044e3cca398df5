import SerialTasksFenced
import Testing

/// Contracts that stop the program, and what they say when they do.
///
/// Not watched: it waits for other processes.
@Suite struct FencedContractTests {
  /// Fails if: one is only looked at when the first job comes, or not given to the line, or it traps without a word.
  @Test(arguments: ["capacityPerKey", "capacity", "jobsPerAccess"], [0, -1]) func lessThanOne(
    _ what: String, _ number: Int
  )
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [what, number] in
      switch what {
      case "capacity": _ = FencedSerialTaskExecutor(access: Engine(), capacity: number)
      case "capacityPerKey": _ = FencedSerialTaskExecutor(access: Engine(), capacityPerKey: number)
      default: _ = FencedSerialTaskExecutor(access: Engine(), jobsPerAccess: number)
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\(what) must be at least 1, but is \(number)"), "\(message)")
  }
}
