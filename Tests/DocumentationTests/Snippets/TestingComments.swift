// The blocks of the doc comments of SerialTasksTesting.
import CoalescingTasks
import SerialTasksTesting
import Testing

@Suite(.watched) struct TestingCommentTests {
  let line = SerialTaskExecutor(name: "notes")
  let service = FakeService()
  let note = Note(id: 7)

  @Test func ofGate() async throws {
    let gate = Gate()
    let save = line.submit { await gate.pass() }
    await gate.waitForArrivals()  // the job runs, and is held
    #expect(line.snapshot.running > 0)
    gate.open()
    try await save.value
  }

  @Test func ofManualClock() async throws {
    let clock = ManualClock()
    let pages = TaskCoalescer<Int, String>(name: "pages", clock: clock)
    clock.advance(by: .seconds(30))
    #expect(try await pages.value(for: 1) { "one" } == "one")
    #expect(clock.now.offset == .seconds(30))
  }

  @Test func ofEventLog() async throws {
    let log = EventLog()
    let line = SerialTaskExecutor(name: "notes", onEvent: log.handler)
    try await line.enqueue(name: "save") {}
    #expect(log.entries.map(\.job) == ["save", "save"])
  }

  @Test func ofPotentialDeadlocks() async throws {
    let (notes, audit) = (SerialTaskExecutor(name: "notes"), SerialTaskExecutor(name: "audit"))
    let found = try await potentialDeadlocks {
      try await notes.enqueue(name: "save") { try await audit.enqueue {} }
      try await audit.enqueue(name: "report") { try await notes.enqueue {} }
    }
    for deadlock in found { print(deadlock) }  // notes → audit → notes, and what to do
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  @Test func ofPatience() async throws {
    let requests = KeyedSerialTaskExecutor<Int>(name: "requests")
    requests.pause()
    for number in 1...100 { requests.submit(for: number) {} }
    try await withPatience(.seconds(60)) {  // a real server answers
      try await requests.waitUntil(waiting: 100)
    }
    requests.resume()
    try await requests.drain()
  }

  @Test func ofWaits() async throws {
    line.pause()
    let save = Task { try await line.enqueue { try await service.save(note) } }
    try await line.waitUntil(waiting: 1)  // the save has its place
    line.resume()
    try await save.value
  }
}
