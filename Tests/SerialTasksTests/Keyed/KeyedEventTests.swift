import SerialTasks
import Testing

/// What is reported to `onEvent`: each key is an executor of its own.
@Suite(.watched) struct KeyedEventTests {
  let log = EventLog()
  let executor: KeyedSerialTaskExecutor<String>

  init() { executor = KeyedSerialTaskExecutor(name: "accounts", capacityPerKey: 1) { [log] in log($0) } }

  /// Fails if: events name the executor without the key, or the key that the line had before.
  @Test func eventsNameTheKey() async throws {
    let held = await HeldKey(executor, "ann")
    let call = waiting(executor, "ann", name: "save") {}
    await #expect(throws: JobRejection.self) { try await executor.enqueue(for: "ann", name: "late") {} }
    try await held.release()
    try await call.value
    try await executor.enqueue(for: "bob", name: "read") {}
    #expect(executor.name == "accounts")
    #expect(
      log.entries.map(\.description) == [
        "accounts[ann]: holder began", "accounts[ann]: save waits",
        "accounts[ann]: late was rejected: The job was rejected: as many jobs already wait as the capacity allows (1).",
        "accounts[ann]: holder finished", "accounts[ann]: save began", "accounts[ann]: save finished",
        "accounts[bob]: read began", "accounts[bob]: read finished",
      ])
  }

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
      let begun = log.entries.filter { if case .began = $0.kind { $0.executor == "accounts[\(key)]" } else { false } }
      let places = begun.map { $0.place! }
      #expect(places == places.sorted() && Set(places).count == places.count, "\(key): \(places)")
    }
  }

  /// Fails if: a rejection is reported twice, or not at all.
  @Test func eachJobIsReportedOnce() async throws {
    executor.pause()
    let jobs = ["ann", "bob", "cid"].map { key in executor.submit(for: key, name: key) {} }
    jobs[1].cancel()
    executor.cancelAll(for: "cid")
    executor.resume()
    try await executor.drain()
    let ends = log.entries.compactMap { event -> String? in
      switch event.kind {
      case .finished: "\(event.job!) finished"
      case .rejected: "\(event.job!) rejected"
      default: nil
      }
    }
    #expect(ends.sorted() == ["ann finished", "bob rejected", "cid rejected"])
  }
}
