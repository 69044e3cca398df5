import SerialTasks
import Testing

/// Guarantees, *Order* and *Overlap* of `KeyedSerialTaskExecutor`: within a key, and nothing between two keys.
@Suite(.watched) struct KeyedOrderTests {
  let executor = KeyedSerialTaskExecutor<String>(name: "accounts")
  let log = Log<Int>()

  /// Places of `submit` and `enqueue` of one key are in one line.
  ///
  /// Fails if: the two do not go to one line, or a waiter is linked in at the head.
  @Test func jobsOfOneKeyRunInTheOrderOfTheirPlaces() async throws {
    let held = await HeldKey(executor, "ann")
    let calls = (0..<50).map { index in
      executor.submit(for: "ann") { [log] in log(2 * index) }
      return waiting(executor, "ann") { [log] in log(2 * index + 1) }
    }
    #expect(executor.snapshot(for: "ann").waiting == 100)
    try await held.release()
    for call in calls { try await call.value }
    #expect(log.entries == Array(0..<100))
  }

  /// ```
  /// ann   ├──────────── runs ────────────┤
  /// bob      ├ runs ┤    (while ann does)
  /// ```
  /// Fails if: two keys share a line. (Then this hangs.)
  @Test func jobsOfDifferentKeysRunAtTheSameTime() async throws {
    let ann = await HeldKey(executor, "ann")
    #expect(try await executor.enqueue(for: "bob") { 1 } == 1)
    #expect(try await executor.submit(for: "cid") { 2 }.value == 2)
    let bob = await HeldKey(executor, "bob")
    #expect(executor.snapshot.running == 2)
    try await ann.release()
    try await bob.release()
  }

  /// Fails if: a key that is busy is given another line, or a line serves two keys.
  @Test func oneAtATimeForEachKey() async throws {
    let numbers = KeyedSerialTaskExecutor<Int>()
    let exclusions = (0..<5).map { _ in Exclusion() }
    try await withThrowingTaskGroup { group in
      for index in 0..<500 {
        let (key, exclusion) = (index % 5, exclusions[index % 5])
        let job: @Sendable () async -> Void = {
          exclusion.enter()
          for _ in 0..<3 { await Task.yield() }
          exclusion.leave()
        }
        group.addTask { try await numbers.enqueue(for: key, job) }
        numbers.submit(for: key, job)
      }
      try await group.waitForAll()
    }
    try await numbers.drain()
    #expect(exclusions.map(\.most) == [1, 1, 1, 1, 1])
    #expect(exclusions.map(\.entries).reduce(0, +) == 1_000)
  }

  /// Keys that are equal are one key, whichever instance they are.
  ///
  /// Fails if: a line is found, or taken from its key, by anything but equality.
  @Test func equalKeysAreOneKey() async throws {
    struct Key: Hashable {
      let id: Int
      let note: String
      static func == (one: Key, other: Key) -> Bool { one.id == other.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    let executor = KeyedSerialTaskExecutor<Key>()
    let held = await HeldKey(executor, Key(id: 1, note: "one"))
    let call = waiting(executor, Key(id: 1, note: "the same")) { 1 }
    #expect(executor.snapshot(for: Key(id: 1, note: "again")).waiting == 1)
    try await held.release()
    #expect(try await call.value == 1)
    #expect(executor.size.busy == 0)
  }

  /// Fails if: a more urgent waiter is put in front of one that came earlier.
  @Test func priorityNeverReorders() async throws {
    let held = await HeldKey(executor, "ann")
    let low = waiting(executor, "ann", priority: .background) { [log] in log(1) }
    let high = waiting(executor, "ann", priority: .high) { [log] in log(2) }
    executor.submit(for: "ann", priority: .userInitiated) { [log] in log(3) }
    try await held.release()
    try await low.value
    try await high.value
    try await executor.drain()
    #expect(log.entries == [1, 2, 3])
  }

  /// The jobs of all keys are withdrawn in the order of their places, whichever key became busy first.
  ///
  /// Fails if: keys are cleared one after the other.
  @Test func jobsAreWithdrawnInTheOrderOfTheirPlaces() async throws {
    let executor = KeyedSerialTaskExecutor<String>(name: "accounts")
    let (gate, log) = (Gate(), Log<String>())
    func hold(_ key: String) -> Task<Void, any Error> { waiting(executor, key) { await gate.pass() } }
    let second = hold("second")
    let third = hold("first")
    for (place, key) in ["first", "second", "first"].enumerated() {
      executor.submit(for: key) {}.whenComplete { _ in log("\(key) \(place)") }
    }
    executor.cancelAll()
    #expect(log.entries == ["first 0", "second 1", "first 2"])
    gate.open()
    _ = (try await second.value, try await third.value)
    try await executor.drain()
  }
}
