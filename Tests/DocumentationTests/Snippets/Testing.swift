// The blocks of the article on testing; TestingArticleTests is what it shows.
import SerialTasks
import Synchronization
import Testing

/// Holds tasks until it is opened, and tells when one has arrived.
actor Gate {
  private var isOpen = false
  private var arrivals = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  private var watchers: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    arrivals += 1
    for watcher in watchers { watcher.resume() }
    watchers = []
    if !isOpen { await withCheckedContinuation { held.append($0) } }
  }

  func open() {
    isOpen = true
    for task in held { task.resume() }
    held = []
  }

  /// Returns when so many have arrived.
  func arrived(_ count: Int = 1) async {
    while arrivals < count { await withCheckedContinuation { watchers.append($0) } }
  }
}

/// A clock on which time passes when the test says so.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private let time = Mutex(Instant())

  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

  /// Nothing that is tested here waits for the clock; a task that sleeps is cancelled.
  func sleep(until deadline: Instant, tolerance: Duration?) async throws { try await Task.sleep(for: .seconds(3_600)) }
}

@Suite(.watched) struct TestingArticleTests {
  @Test func savesAreNotMixed() async throws {
    let log = Log()
    let gate = Gate()
    let line = SerialTaskExecutor(name: "notes")
    line.submit {
      log("first begins")
      await gate.pass()  // held here, inside its turn
      log("first ends")
    }
    let second = line.submit { log("second") }  // its place is taken when this returns
    await gate.arrived()  // the first runs
    #expect(line.snapshot.waiting == 1)  // and the second does not
    await gate.open()
    try await second.value
    #expect(log.entries == ["first begins", "first ends", "second"])
  }

  @Test func aCancelledSaveNeverRuns() async throws {
    let log = Log()
    let gate = Gate()
    let queued = Gate()
    let line = SerialTaskExecutor(name: "notes") { event in
      if case .waiting = event.kind { Task { await queued.pass() } }  // tells that a caller stands in the line
    }
    line.submit { await gate.pass() }
    await gate.arrived()
    let save = Task { try await line.enqueue { log("saved") } }
    await queued.arrived()
    save.cancel()
    await #expect(throws: CancellationError.self) { try await save.value }
    await gate.open()
    try await line.drain()  // everything that had a place has ended
    #expect(log.entries.isEmpty)
  }

  @Test func threeScreensAskOnce() async throws {
    let gate = Gate()
    let log = Log()
    let profiles = TaskCoalescer<String, String>(name: "profiles")
    let screens = (1...3).map { _ in
      Task {
        try await profiles.value(for: "ann") {
          log("asked")
          await gate.pass()
          return "Ann"
        }
      }
    }
    await gate.arrived()
    while profiles.snapshot.waiting < 3 { await Task.yield() }  // not a sleep: it ends when all three wait
    await gate.open()
    for screen in screens { #expect(try await screen.value == "Ann") }
    #expect(log.entries == ["asked"])
  }

  @Test func aPrefetchExpires() async throws {
    let clock = ManualClock()
    let pages = TaskCoalescer<Int, String>(name: "pages", clock: clock)
    pages.prefetch(2, expiresAfter: .seconds(30)) { "old" }
    while pages.snapshot.stored == 0 { await Task.yield() }
    clock.advance(by: .seconds(31))
    let page = try await pages.answer(for: 2) { "new" }
    #expect(page.value == "new" && page.source == .led)
  }
}
