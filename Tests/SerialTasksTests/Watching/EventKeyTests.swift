import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// When the keys of an event are described; which they are is in the table of promises.
@Suite(.watched) struct EventKeyTests {
  private enum Own { @TaskLocal static var isCalling = false }

  /// Fails if: a key is described before it is asked for, or not each time that it is.
  @Test func whenTheyAreAskedFor() async throws {
    let (described, events, gate) = (Log<Int>(), EventLog(), Gate())
    // Not by the reports of others.
    let key: @Sendable (Int) -> LoudKey = { id in
      LoudKey(id, described: { if Own.isCalling { described(id) } })
    }
    try await Own.$isCalling.withValue(true) {
      let bank = KeyedSerialTaskExecutor<LoudKey>(name: "bank", onEvent: events.handler)
      let notes = CoalescingTaskExecutor<LoudKey>(name: "notes", onEvent: events.handler)
      let pages = TaskCoalescer<LoudKey, Int>(name: "pages", onEvent: events.handler)
      let holder = Task.immediate { try await bank.enqueue(for: key(1), name: "free") { await gate.pass() } }
      let read = Task.immediate { try await notes.read(key(1), name: "read") { await gate.pass() } }
      await gate.waitForArrivals(2)
      let both = bank.submit(touching: [key(2), key(1)], name: "both") {}
      let joiner = Task.immediate { try await notes.read(key(1), name: "joiner") {} }
      let write = notes.submitWrite(touching: [key(1), key(2)], name: "write") {}
      gate.open()
      for call in [holder, read, joiner] { try await call.value }
      for job in [both, write] { try await job.value }
      pages.prefetch(key(1), expiresAfter: .seconds(60), name: "early") { 2 }
      _ = try await pages.value(for: key(1), name: "served") { 3 }
      bank.close()
      try? await bank.enqueue(for: key(3), name: "closed") {}
    }
    #expect(described.entries.isEmpty && events.entries.count > 12)
    #expect(events.entries.allSatisfy { ["bank", "notes", "pages"].contains($0.executor) })
    #expect("\(events.entries.first { $0.job == "write" }!)" == "notes[1, 2]: write waits")
    for count in 1...2 {
      Own.$isCalling.withValue(true) { #expect(events.entries.last!.keys == ["3"]) }
      #expect(described.entries.count == count)
    }
  }
}
