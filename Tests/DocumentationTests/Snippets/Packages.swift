// The blocks of the article for those who come from another package, and tests that run them.
import Foundation
import SerialTasks
import Synchronization
import Testing

enum PackagesUse {
  static func inAnyCase(_ line: SerialTaskExecutor, _ send: @escaping @Sendable () async throws -> Void) async throws {
    let job = line.submit { try await send() }  // has its place, and will run
    try await Task { try await job.value }.value  // waits until it has run
  }

  struct Beginnings {
    let line = SerialTaskExecutor(name: "beginnings")

    func begin(_ work: @escaping @Sendable () async -> Void) {
      line.submit { _ = Task.immediate { await work() } }
    }
  }

  final class Newest: Sendable {
    private let line = SerialTaskExecutor(name: "search")
    private let last = Mutex<SubmittedJob<Void>?>(nil)

    func replace(_ work: @escaping @Sendable () async throws -> Void) {
      let older = last.withLock { last in
        defer { last = line.submit { try await work() } }
        return last
      }
      older?.cancel()  // waiting: it never runs. Running: it is asked to stop
    }
  }

  static func severalAtATime(_ send: @escaping @Sendable () async throws -> Void) async throws {
    let four = KeyedSerialTaskExecutor<Int>(maximumConcurrentJobs: 4)
    try await four.enqueue(forAll: []) { try await send() }
  }

  static func barrier(_ send: @escaping @Sendable () async throws -> Void) async throws {
    let queue = CoalescingTaskExecutor<UUID>(maximumConcurrentReads: 4)
    queue.submitRead(UUID()) { try await send() }  // beside other reads
    queue.submitWrite { try await send() }  // a barrier: alone, and in order
    try await queue.drain()
  }

  enum Inside { @TaskLocal static var line = false }

  static func inside(_ line: SerialTaskExecutor) async throws {
    try await Inside.$line.withValue(true) {
      try await line.enqueue {
        Task { precondition(Inside.line) }  // holds; line.isInJob is false here
      }
    }
  }

  static func errorSequence() -> (SerialTaskExecutor, AsyncStream<any Error>) {
    let (errors, report) = AsyncStream.makeStream(of: (any Error).self)
    let line = SerialTaskExecutor { event in
      if case .failed(let error) = event.kind { report.yield(error) }
    }
    return (line, errors)
  }
}

extension PackagesUse.Newest {
  func drain() async throws { try await line.drain() }
}

@Suite(.watched, .oneOrder) struct PackageArticleTests {
  let gate = Gate()
  let log = Log()

  /// Fails if: a caller that is cancelled takes the job along, or does not wait for it.
  @Test func aJobRunsInAnyCase() async throws {
    let line = SerialTaskExecutor()
    line.submit { [gate] in await gate.pass() }
    await gate.arrived()
    let caller = Task.immediate { [log] in try await PackagesUse.inAnyCase(line) { log("sent") } }
    caller.cancel()
    gate.open()
    try await caller.value
    #expect(log.entries == ["sent"])
  }

  /// Fails if: a job waits for the end of the one before, or begins before it.
  @Test func onlyTheBeginningsAreInOrder() async throws {
    let beginnings = PackagesUse.Beginnings()
    for name in ["a", "b", "c"] {
      beginnings.begin { [gate, log] in
        log("\(name) begins")
        await gate.pass()
        log("\(name) ends")
      }
    }
    try await beginnings.line.drain()
    #expect(log.entries == ["a begins", "b begins", "c begins"])
    gate.open()
    try await until { log.entries.count == 6 }
  }

  /// Fails if: an older job runs to its end, or one that waits begins.
  @Test func theNewestReplacesTheOneBefore() async throws {
    let newest = PackagesUse.Newest()
    newest.replace { [gate, log] in
      log("a begins")
      try await gate.passUnlessCancelled()
      log("a ends")
    }
    await gate.arrived()
    for name in ["b", "c", "d"] { newest.replace { [log] in log(name) } }
    try await newest.drain()
    #expect(log.entries.first == "a begins" && log.entries.last == "d")
    #expect(!log.entries.contains("a ends"))
  }

  /// Fails if: a fifth job begins, or one of four does not.
  @Test func fourAtATime() async throws {
    let running = Mutex((now: 0, most: 0))
    let four = KeyedSerialTaskExecutor<Int>(maximumConcurrentJobs: 4)
    let send: @Sendable () async -> Void = { [gate] in
      running.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      await gate.pass()
      running.withLock { $0.now -= 1 }
    }
    let sending = (1...10).map { _ in four.submit(forAll: []) { await send() } }
    try await until { running.withLock { $0.now } == 4 }
    gate.open()
    for send in sending { try await send.value }
    #expect(running.withLock { $0.most } == 4)
    try await PackagesUse.severalAtATime { [log] in log("sent") }
    try await PackagesUse.barrier { [log] in log("sent") }
    #expect(log.entries.count == 3)
  }

  @Test func insideAndErrors() async throws {
    try await PackagesUse.inside(SerialTaskExecutor())
    let (line, errors) = PackagesUse.errorSequence()
    line.submit { throw NotesError.missing(1) }
    var iterator = errors.makeAsyncIterator()
    #expect(await iterator.next() as? NotesError == .missing(1))
  }
}
