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
    await gate.waitForArrivals()
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
    await gate.waitForArrivals()
    let second = Task { try await connection.start() }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.open()
    try await first.value
    #expect(log.entries == ["open"])
  }
}
