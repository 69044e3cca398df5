import SerialTasks
import Testing

/// Jobs that name several keys at once.
@Suite(.watched) struct KeySetTests {
  let bank = KeyedSerialTaskExecutor<String>(name: "bank")

  /// Fails if: a key that is named again after many others counts twice. (Then this hangs.)
  @Test(arguments: [2, 8, 9, 40]) func aKeyMayBeNamedAgainAfterManyOthers(count: Int) async throws {
    let keys = (0..<count).map { "\($0)" }
    let held = await Held(bank, "0")
    let job = waiting(bank, touching: keys + keys.prefix(2) + keys) { 1 }
    #expect(bank.line.size.busy == count)
    try await held.release()
    #expect(try await job.value == 1)
    #expect(bank.line.size.busy == 0)
  }

  /// While the jobs of one key are reported, no job of another begins; keys are reported in the order in which they got busy.
  ///
  /// Fails if: keys are cleared one after the other, or in the order of a dictionary.
  @Test func cancelAllClearsAllKeysInOneStep() async throws {
    let (log, box) = (Log<String>(), Log<KeyedSerialTaskExecutor<Int>>())
    let executor = KeyedSerialTaskExecutor<Int>(name: "keys") { event in
      guard case .rejected(.withdrawn) = event.kind else { return }
      log("\(event.executor)[\(event.keys[0])], \(box.entries[0].snapshot.waiting) wait")
    }
    box(executor)
    executor.pause()
    for key in [3, 1, 4, 15, 9, 2, 6] { executor.submit(for: key) {} }
    executor.cancelAll()
    #expect(log.entries == [3, 1, 4, 15, 9, 2, 6].map { "keys[\($0)], 0 wait" })
    executor.close()
    try await executor.drain()
  }
}
