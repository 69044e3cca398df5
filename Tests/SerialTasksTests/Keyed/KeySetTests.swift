import SerialTasks
import Testing

/// Jobs that name several keys at once.
@Suite(.watched) struct KeySetTests {
  let bank = KeyedSerialTaskExecutor<String>(name: "bank")
  let log = Log<String>()

  /// Fails if: a place is taken on one key only, or late on another, so that a later job comes first there; or a job waits for one
  /// that touches other keys.
  @Test func jobsThatShareAKeyRunInTheOrderOfTheirPlaces() async throws {
    let held = await HeldKey(bank, "ann")
    let jobs = [["ann", "bob"], ["bob", "cid"], ["cid"]].map { keys in
      waiting(bank, forAll: keys) { [log] in log(keys.joined()) }
    }
    #expect(bank.snapshot.waiting == 3)
    #expect(bank.snapshot(for: "bob").waiting == 2)
    try await bank.enqueue(forAll: ["dan", "eve"]) { log("dan") }
    try await held.release()
    for job in jobs { try await job.value }
    #expect(log.entries == ["dan", "annbob", "bobcid", "cid"])
    #expect(bank.size.busy == 0)
  }

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

  /// Fails if: a job that leaves keeps one of its places.
  @Test func whoIsCancelledFreesAllItsKeysAtOnce() async throws {
    let held = await HeldKey(bank, "ann")
    let doomed = waiting(bank, forAll: ["ann", "bob", "cid"]) { Issue.record("it ran") }
    let others = ["bob", "cid"].map { key in waiting(bank, key) { [log] in log(key) } }
    #expect(bank.snapshot.waiting == 3)
    doomed.cancel()
    await #expect(throws: CancellationError.self) { try await doomed.value }
    for other in others { try await other.value }
    #expect(log.entries.sorted() == ["bob", "cid"])
    try await held.release()
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

  /// Fails if: an empty set stands for every key, or escapes pausing, closing or the limit on jobs that run.
  @Test func anEmptySetTouchesNothing() async throws {
    let bank = KeyedSerialTaskExecutor<String>(maximumConcurrentKeys: 2)
    let held = await HeldKey(bank, "ann")
    #expect(try await bank.enqueue(forAll: []) { 1 } == 1)
    let other = await HeldKey(bank, "bob")
    let third = waiting(bank, forAll: []) {}
    #expect(bank.snapshot.waiting == 1)
    try await held.release()
    try await third.value
    bank.pause()
    let paused = bank.submit(forAll: []) {}
    #expect(bank.snapshot.waiting == 1)
    bank.resume()
    try await paused.value
    bank.close()
    await #expect(throws: JobRejection.closed) { try await bank.enqueue(forAll: []) {} }
    try await other.release()
  }

  /// Fails if: a job waits for itself on a key that it names twice. (Then this hangs.)
  @Test func aKeyMayBeNamedTwice() async throws {
    #expect(try await bank.enqueue(forAll: ["ann", "bob", "ann", "ann"]) { 1 } == 1)
    let held = await HeldKey(bank, "ann")
    let twice = waiting(bank, forAll: ["ann", "ann"]) { 2 }
    #expect(bank.snapshot(for: "ann").waiting == 1)
    try await held.release()
    #expect(try await twice.value == 2)
    #expect(bank.size.busy == 0)
  }

  /// Fails if: only the first key of a set is asked whether there is room, or a rejected job leaves a key behind.
  @Test func aSetNeedsRoomOnEachKey() async throws {
    let bank = KeyedSerialTaskExecutor<String>(capacityPerKey: 1)
    let held = await HeldKey(bank, "bob")
    let first = waiting(bank, "bob") {}
    await #expect(throws: JobRejection.full(capacity: 1)) { try await bank.enqueue(forAll: ["ann", "bob", "cid"]) {} }
    #expect(bank.size.busy == 1)
    try await bank.enqueue(forAll: ["ann", "cid"]) {}
    try await held.release()
    try await first.value
  }

  /// Fails if: a cycle does not name the keys, or a job over several is named by one of them.
  @Test func cyclesNameTheKeys() async throws {
    await expectCycle(["bank[ann]", "bank[bob]", "bank[ann]"]) {
      try await bank.enqueue(for: "ann") {
        try await bank.enqueue(for: "bob") { try await bank.enqueue(for: "ann") {} }
      }
    }
    await expectCycle(["bank[bob]", "bank[bob]"]) {
      try await bank.enqueue(forAll: ["ann", "bob"]) { try await bank.enqueue(for: "bob") {} }
    }
    let other = SerialTaskExecutor(name: "other")
    await expectCycle(["bank[ann, bob]", "other", "bank[ann, bob]"]) {
      try await bank.enqueue(forAll: ["ann", "bob"]) {
        try await other.enqueue { try await bank.enqueue(forAll: ["ann", "bob"]) {} }
      }
    }
  }

  /// Two jobs that hold a key each and ask for the other's.
  ///
  /// Fails if: a job that holds one key and waits for another is not in the wait graph. (Then this hangs.)
  @Test func twoThatAskForEachOthersKey() async throws {
    let (hasAnn, hasBob) = (Gate(), Gate())
    let first = waiting(bank, "ann") { [bank] in
      await hasAnn.pass()
      try await bank.enqueue(for: "bob") {}
    }
    let second = waiting(bank, "bob") { [bank] in
      await hasBob.pass()
      try await bank.enqueue(for: "ann") {}
    }
    hasAnn.open()
    try await bank.waits(for: 1, of: "bob")
    hasBob.open()
    await expectCycle(["bank[ann]", "bank[bob]", "bank[ann]"]) { try await second.value }
    try await first.value
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

  /// Fails if: `drain(for:)` ends before those who hold a handle on a rejected job have been told.
  @Test func drainForAKeyWaitsForWhatIsTold() async throws {
    let told = Log<String>()
    let bank = KeyedSerialTaskExecutor<String>(name: "bank") { event in
      if case .rejected = event.kind { told("rejected") }
    }
    let held = await HeldKey(bank, "ann")
    for _ in 0..<3 { bank.submit(forAll: ["ann", "bob"]) {} }
    let drained = Task.immediate {
      try await bank.drain(for: "bob")
      return told.entries.count
    }
    bank.cancelAll(for: "bob")
    #expect(try await drained.value == 3)
    try await held.release()
  }
}
