import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

@Suite(.watched) struct EventLogTests {
  let log = EventLog()

  private func line(_ name: String = "notes") -> SerialTaskExecutor {
    SerialTaskExecutor(name: name, onEvent: log.handler)
  }

  /// Fails if: an event is lost, out of order, or not found, or another than the first is returned.
  @Test func itKeepsEvents() async throws {
    let (notes, audit) = (line(), line("audit"))
    try await notes.enqueue(name: "save") { try await audit.enqueue(name: "write down") {} }
    #expect(log.entries.map(\.executor) == ["notes", "audit", "audit", "notes"])
    #expect(
      log.description == """
        notes: save began
        audit: write down began
        audit: write down finished
        notes: save finished
        """)
    #expect("\(EventLog())".isEmpty)
    #expect(try await log.waitForFirst(3).map(\.executor) == ["notes", "audit", "audit"])
    #expect("\(try await log.waitForFirst { $0.job == "write down" }.kind)" == "began")
    #expect(try await log.waitForFirst(0).isEmpty)
  }

  /// Fails if: a later event is not found, or an event is checked twice or never.
  @Test func whatIsToComeIsFound() async throws {
    let notes = line()
    let looked = Log<String>()
    let found = Task.immediate {
      try await log.waitForFirst { event in
        looked(event.job!)
        return event.job == "c"
      }
    }
    let four = Task.immediate { try await log.waitForFirst(4) }
    for job in ["a", "b", "c"] { try await notes.enqueue(name: job) {} }
    #expect(try await found.value.job == "c")
    #expect(looked.entries == ["a", "a", "b", "b", "c"])
    #expect(try await four.value.map(\.job) == ["a", "a", "b", "b"])
  }

  /// Fails if: a condition that uses the log hangs, or an event that comes while it is asked is not looked at.
  @Test func aConditionMayUseTheLog() async throws {
    try await line().enqueue(name: "save") {}
    let event = try await log.waitForFirst { _ in log.entries.count == 2 }
    #expect(event.job == "save")
    let looks = Log<Void>()
    _ = try await log.waitForFirst { event in
      looks(())
      if looks.entries.count == 1 { log.handler(event) }
      return looks.entries.count == 3
    }
  }

  /// Fails if: a cancelled call keeps waiting for an event that never comes.
  @Test func cancellationEndsTheWait() async throws {
    let never = Task.immediate { try await log.waitForFirst { _ in false } }
    let many = Task.immediate { try await log.waitForFirst(1_000) }
    try await line().enqueue(name: "save") {}
    never.cancel()
    many.cancel()
    await #expect(throws: CancellationError.self) { try await never.value }
    await #expect(throws: CancellationError.self) { try await many.value }
  }
}
