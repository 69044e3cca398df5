import SerialTasks
import Testing

/// What is reported to `onEvent`: each key is an executor of its own.
@Suite(.watched) struct KeyedEventTests {
  let log = EventLog()
  let executor: KeyedSerialTaskExecutor<String>

  init() { executor = KeyedSerialTaskExecutor(name: "accounts", capacityPerKey: 1) { [log] in log($0) } }

  /// Places distinguish two jobs of a key, also when it was idle between them and has another line.
  ///
  /// Fails if: a line that is used again goes on counting where it was.
  @Test func placesOfAKeyRiseWhicheverLineItHas() async throws {
    try await executor.enqueue(for: "ann") {
      for _ in 0..<3 { try await executor.enqueue(for: "bob") {} }
    }
    try await executor.enqueue(for: "bob") { try await executor.enqueue(for: "ann") {} }
    try await executor.enqueue(for: "ann") { try await executor.enqueue(for: "bob") {} }
    for key in ["ann", "bob"] {
      let begun = log.entries.filter {
        if case .began = $0.kind { $0.executor == "accounts" && $0.keys == [key] } else { false }
      }
      let places = begun.map { $0.place! }
      #expect(places == places.sorted() && Set(places).count == places.count, "\(key): \(places)")
    }
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

  /// Fails if: a job that waits for the end of a pause is said to stand behind those that have the other slots.
  @Test func inAPauseNoJobIsAhead() async throws {
    let executor = KeyedSerialTaskExecutor<String>(maximumConcurrentJobs: 2) { [log] in log($0) }
    let held = await Held(executor, "a")
    executor.pause()
    let job = executor.submit(for: "b", name: "job") {}
    #expect(log.entries.last?.job == "job" && log.entries.last?.ahead == 0)
    executor.resume()
    try await job.value
    try await held.release()
  }
}
