import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Which keys an event names, and when.
@Suite(.watched) struct EventKeyTests {
  /// A key that notes each time that it is described by what this test calls, and not by the reports of others.
  struct Loud: Hashable, Sendable, CustomStringConvertible {
    let name: String
    let described: Log<String>
    var description: String {
      if Own.isCalling { described(name) }
      return name
    }
    static func == (one: Loud, other: Loud) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  enum Own { @TaskLocal static var isCalling = false }

  let described = Log<String>()
  let events = EventLog()
  let gate = Gate()

  private func key(_ name: String) -> Loud { Loud(name: name, described: described) }

  private func keys(of job: String) -> Set<[String]> { Set(events.entries.filter { $0.job == job }.map(\.keys)) }

  /// Fails if: an event names other keys than its job touches, a key is described before it is asked for, or not each time.
  @Test func ofAKeyedExecutor() async throws {
    try await Own.$isCalling.withValue(true) {
      let executor = KeyedSerialTaskExecutor<Loud>(name: "bank", onEvent: events.handler)
      let holder = Task.immediate { [gate] in
        try await executor.enqueue(for: key("ann"), name: "free") { await gate.pass() }
      }
      await gate.arrived()
      let waits = Task.immediate { try await executor.enqueue(for: key("ann"), name: "waits") {} }
      let both = executor.submit(forAll: [key("bob"), key("ann")], name: "both") {}
      gate.open()
      try await holder.value
      try await waits.value
      try await both.value
      try await executor.enqueue(forAll: [], name: "none") {}
      executor.close()
      try? await executor.enqueue(for: key("cid"), name: "closed") {}
    }
    #expect(described.entries.isEmpty)
    #expect(events.entries.allSatisfy { $0.executor == "bank" })
    #expect(keys(of: "free") == [["ann"]] && keys(of: "waits") == [["ann"]])
    #expect(keys(of: "both") == [["bob", "ann"]])
    #expect(keys(of: "none") == [[]] && keys(of: "closed") == [["cid"]])
    Own.$isCalling.withValue(true) { #expect(events.entries.allSatisfy { $0.keys.count < 3 }) }
    #expect(!described.entries.isEmpty)
  }

  /// Fails if: a read or its callers do not name their key, or a write names others than it touches.
  @Test func ofARepository() async throws {
    try await Own.$isCalling.withValue(true) {
      let notes = CoalescingTaskExecutor<Loud>(name: "notes", onEvent: events.handler)
      let read = Task.immediate { [gate] in
        try await notes.read(key("a"), name: "read") {
          await gate.pass()
          return 1
        }
      }
      await gate.arrived()
      let joiner = Task.immediate { try await notes.read(key("a"), name: "joiner") { 2 } }
      let write = notes.submitWrite(touching: [key("a"), key("b")], name: "write") {}
      gate.open()
      _ = (try await read.value, try await joiner.value)
      try await write.value
      try await notes.write(name: "all") {}
      let cancelled = Task.immediate {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await notes.read(key("c"), name: "cancelled") { 3 }
      }
      _ = await cancelled.result
    }
    #expect(described.entries.isEmpty)
    #expect(keys(of: "read") == [["a"]] && keys(of: "joiner") == [["a"]] && keys(of: "cancelled") == [["c"]])
    #expect(keys(of: "write") == [["a", "b"]] && keys(of: "all") == [[]])
    #expect("\(events.entries.first { $0.job == "write" }!)" == "notes[a, b]: write waits")
  }

  /// Fails if: a flight, a caller that is served or one that is rejected does not name its key.
  @Test func ofACoalescer() async throws {
    try await Own.$isCalling.withValue(true) {
      let pages = TaskCoalescer<Loud, Int>(name: "pages", onEvent: events.handler)
      _ = try await pages.value(for: key("a"), name: "led") { 1 }
      pages.prefetch(key("b"), expiresAfter: .seconds(60), name: "early") { 2 }
      try await pages.drain()
      _ = try await pages.value(for: key("b"), name: "served") { 3 }
      pages.close()
      _ = try? await pages.value(for: key("c"), name: "closed") { 4 }
    }
    #expect(described.entries.isEmpty)
    #expect(keys(of: "led") == [["a"]] && keys(of: "early") == [["b"]] && keys(of: "served") == [["b"]])
    #expect(keys(of: "closed") == [["c"]])
    #expect(TaskEvent(kind: .began, executor: "e", keys: ["k"]).keys == ["k"])
  }
}
