import SerialTasks
import Synchronization
import Testing

/// The article on a service that starts and stops, run.
@Suite(.watched, .oneOrder) struct ServiceTests {
  private struct Line: Socket {
    let log: Log
    func close() async { log("close") }
  }

  let gate = Gate()
  let log = Log()

  private func socket(_ gate: Gate? = nil) -> @Sendable () async throws -> any Socket {
    { [log] in
      log("open")
      await gate?.pass()
      return Line(log: log)
    }
  }

  /// Fails if: two starts open two sockets, a stop overtakes a start, or a start follows before the stop has ended.
  @Test func startsAndStopsAreTurns() async throws {
    let connection = Services.Connection(open: socket(gate))
    let starts = (1...2).map { _ in Task { try await connection.start() } }
    await gate.arrived()
    let stop = Task { try await connection.stop() }
    gate.open()
    for start in starts { try await start.value }
    try await stop.value
    try await connection.start()
    try await connection.stop()
    try await connection.stop()
    #expect(log.entries.filter { $0 == "open" }.count == log.entries.filter { $0 == "close" }.count)
    #expect(!"\(log.entries)".contains(#""open", "open""#), "a second start finds the socket of the first")
    #expect(await connection.socket == nil)
  }

  /// Fails if: a restart is two turns, or a start that failed leaves the service started.
  @Test func restartIsOneTurn() async throws {
    let fails = Mutex(true)
    let open = socket()
    let connection = Services.Connection {
      if fails.withLock({ $0 }) { throw NotesError.missing(1) }
      return try await open()
    }
    await #expect(throws: NotesError.missing(1)) { try await connection.start() }
    fails.withLock { $0 = false }
    try await connection.start()
    try await connection.restart()
    #expect(log.entries == ["open", "close", "open"])
    #expect(await connection.socket != nil)
  }

  /// Fails if: a caller that leaves while it waits starts the service all the same.
  @Test func aCallerThatLeavesStartsNothing() async throws {
    let connection = Services.Connection(open: socket(gate))
    let first = Task { try await connection.start() }
    await gate.arrived()
    let second = Task { try await connection.start() }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.open()
    try await first.value
    #expect(log.entries == ["open"])
  }

  /// Fails if: `stop` does not cut a running start short, withdraws another stop, or lets a start go on that waits.
  @Test func stoppingDuringAStart() async throws {
    let connection = ImpatientServices.Connection(open: socket(gate))
    let running = Task { try await connection.start() }
    await gate.arrived()
    let waiting = Task.immediate { try await connection.start() }
    let stops = (1...2).map { _ in Task { try await connection.stop() } }
    await #expect(throws: JobRejection.withdrawn) { try await waiting.value }
    gate.open()
    try await running.value
    for stop in stops { try await stop.value }
    #expect(log.entries == ["open", "close"])
    #expect(await connection.socket == nil)
    try await connection.start()
    try await connection.stop()
    #expect(log.entries == ["open", "close", "open", "close"])
  }

  /// Fails if: the article shows something else than what is printed, or a stop inside a start is not rejected.
  @Test func stopInsideStartIsRejected() async throws {
    let connection = ServiceMistakes.Connection()
    let printed = try await ServiceMistakes.printed(connection) { throw NotesError.missing(1) }
    let articles = "Sources/SerialTasks/Documentation.docc"
    let page = try #require(try Page.all(in: articles, "AServiceThatStartsAndStops.md").first)
    let shown = page.blocks(of: "text").map { $0.code.joined(separator: " ") }
    #expect(shown == [try #require(printed)])
    #expect(await !connection.isStopped && connection.line.snapshot.running == 0)
    #expect(try await ServiceMistakes.printed(connection) {} == nil)
  }
}
