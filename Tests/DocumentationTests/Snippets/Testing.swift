// The blocks of the article on testing; TestingArticleTests is what it shows.
import CoalescingTasks
import SerialTasksTesting
import Synchronization
import Testing

struct OneOrder: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let found = try await potentialDeadlocks { try await body() }
    for deadlock in found { Issue.record("\(deadlock)") }
  }
}

extension Trait where Self == OneOrder {
  /// Fails a test in which deadlocks could have happened.
  static var oneOrder: OneOrder { OneOrder() }
}

@Suite(.watched, .oneOrder) struct TestingArticleTests {
  @Test func savesAreNotMixed() async throws {
    let log = EventLog()
    let gate = Gate()
    let line = SerialTaskExecutor(name: "notes", onEvent: log.handler)
    line.submit(name: "first") { await gate.pass() }  // held here, inside its turn
    let second = line.submit(name: "second") {}  // its place is taken when this returns
    await gate.waitForArrivals()  // the first runs
    #expect(line.snapshot.waiting == 1)  // and the second does not
    gate.open()
    try await second.value
    let ran = log.entries.filter { $0.kind.name == "began" }
    #expect(ran.map(\.job) == ["first", "second"])
  }

  @Test func aCancelledSaveNeverRuns() async throws {
    let gate = Gate()
    let line = SerialTaskExecutor(name: "notes")
    let saved = Mutex<[String]>([])
    line.submit { await gate.pass() }
    await gate.waitForArrivals()
    let save = Task { try await line.enqueue { saved.withLock { $0.append("a note") } } }
    try await line.waitUntil(waiting: 1)  // the save has its place
    save.cancel()
    await #expect(throws: CancellationError.self) { try await save.value }
    gate.open()
    try await line.drain()  // everything that had a place has ended
    #expect(saved.withLock { $0.isEmpty })
  }

  @Test func threeScreensAskOnce() async throws {
    let gate = Gate()
    let profiles = TaskCoalescer<String, String>(name: "profiles")
    let screens = (1...3).map { _ in
      Task {
        try await profiles.value(for: "ann") {
          await gate.pass()
          return "Ann"
        }
      }
    }
    try await profiles.waitUntil(waiting: 3, for: "ann")
    gate.open()
    for screen in screens { #expect(try await screen.value == "Ann") }
    #expect(gate.arrivals == 1)  // one request for three screens
  }

  @Test func aPrefetchExpires() async throws {
    let clock = ManualClock()
    let pages = TaskCoalescer<Int, String>(name: "pages", clock: clock)
    pages.prefetch(2, expiresAfter: .seconds(30)) { "old" }
    try await pages.drain()  // the operation has ended, and its result is stored
    clock.advance(by: .seconds(31))
    let page = try await pages.answer(for: 2) { "new" }
    #expect(page.value == "new" && page.source == .led)
  }
}

/// Not watched for orders themselves, for they have rings.
@Suite(.watched) struct OrderArticleTests {
  @Test func ordersAreTheSameEverywhere() async throws {
    let notes = SerialTaskExecutor(name: "notes")
    let audit = SerialTaskExecutor(name: "audit")
    let found = try await potentialDeadlocks {
      try await notes.enqueue(name: "save") { try await audit.enqueue {} }
      try await audit.enqueue(name: "report") { try await notes.enqueue {} }
    }
    for deadlock in found { print(deadlock) }  // in your test: #expect(found.isEmpty)
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  nonisolated private static let reported = Mutex<[String]>([])

  /// Fails if: the trait of the article reports nothing.
  @Test(
    .compactMapIssues { issue in
      guard case .unconditional = issue.kind else { return issue }
      OrderArticleTests.reported.withLock { $0.append("\(issue)") }
      return nil
    }
  )
  func theTraitReportsARing() async throws {
    let (notes, audit) = (SerialTaskExecutor(name: "notes"), SerialTaskExecutor(name: "audit"))
    let test = try #require(Test.current)
    try await OneOrder().provideScope(for: test, testCase: nil) {
      try await notes.enqueue { try await audit.enqueue {} }
      try await audit.enqueue { try await notes.enqueue {} }
    }
    let reported = Self.reported.withLock { $0 }
    #expect(reported.count == 1 && reported[0].contains("notes → audit → notes"))
  }
}
