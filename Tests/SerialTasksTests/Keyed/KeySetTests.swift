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

  /// The cancellation comes as the keys become free.
  ///
  /// Fails if: a job that is cancelled when it has been granted its keys keeps them (then this hangs), or runs all the same.
  @Test func whoIsCancelledWhenItIsGrantedFreesAllItsKeys() async throws {
    var (ran, left) = (0, 0)
    var rounds = Rounds(500)
    while let round = rounds.next(bothWays: ran > 0 && left > 0) {
      let moment = Moment(round: round)
      let holder = waiting(bank, "ann") { await moment.pass() }
      let doomed = waiting(bank, forAll: ["ann", "bob"]) {}
      let other = waiting(bank, forAll: ["bob", "cid"]) {}
      let done = moment.race { doomed.cancel() }
      try await holder.value
      do {
        try await doomed.value
        ran += 1
      } catch is CancellationError { left += 1 }
      try await other.value
      await done.pass()
      #expect(bank.size.busy == 0)
    }
    #expect(rounds.met(ran > 0 && left > 0))
  }

  /// Fails if: a job waits for itself on a key that it names twice. (Then this hangs.)
  @Test func aKeyMayBeNamedTwice() async throws {
    #expect(try await bank.enqueue(forAll: ["ann", "bob", "ann", "ann"]) { 1 } == 1)
    let held = await Held(bank, "ann")
    let twice = waiting(bank, forAll: ["ann", "ann"]) { 2 }
    #expect(bank.snapshot(for: "ann").waiting == 1)
    try await held.release()
    #expect(try await twice.value == 2)
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
}
