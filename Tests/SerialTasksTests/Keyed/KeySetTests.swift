import SerialTasks
import Testing

/// Jobs that name several keys at once.
@Suite(.watched) struct KeySetTests {
  let bank = KeyedSerialTaskExecutor<String>(name: "bank")

  /// In whatever order the keys are named.
  ///
  /// Fails if: places are taken one after the other (then this hangs, or is rejected as a deadlock), or two jobs overlap.
  @Test func oppositeTransfersNeverWaitInACircle() async throws {
    let (exclusion, rounds) = (Exclusion(), Effort.upTo(5_000))
    try await withThrowingTaskGroup { [bank] group in
      for keys in [["ann", "bob"], ["bob", "ann"], ["ann", "bob"], ["bob", "ann"]] {
        group.addTask {
          for _ in 0..<rounds {
            try await bank.enqueue(forAll: keys) {
              exclusion.enter()
              await Task.yield()
              exclusion.leave()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(exclusion.entries == 4 * rounds)
    #expect(exclusion.most == 1)
    #expect(bank.size.busy == 0)
  }

  /// Fails if: a key that is named again after many others counts twice. (Then this hangs.)
  @Test(arguments: [2, 8, 9, 40]) func aKeyMayBeNamedAgainAfterManyOthers(count: Int) async throws {
    let keys = (0..<count).map { "\($0)" }
    let held = await Held(bank, "0")
    let job = waiting(bank, forAll: keys + keys.prefix(2) + keys) { 1 }
    #expect(bank.size.busy == count)
    try await held.release()
    #expect(try await job.value == 1)
    #expect(bank.size.busy == 0)
  }

  /// Fails if: a key stays in the table when the last job over it has ended.
  @Test func manyKeySetsLeaveTheTableEmpty() async throws {
    let bank = KeyedSerialTaskExecutor<Int>()
    let count = Effort.upTo(200_000)
    var sum = 0
    for key in 0..<count { try await bank.enqueue(forAll: [key, key + 1]) { sum += 1 } }
    #expect(sum == count)
    bank.pause()
    for key in 0..<1_000 { bank.submit(forAll: [key, key + 1, -key]) {} }
    bank.resume()
    try await bank.drain()
    #expect(bank.size.busy == 0)
    #expect(bank.size.capacity <= 64)
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
