import InMemoryLogging
import Logging
import Observing
import SerialTasks
import Testing

@Suite struct LogBridgeTests {
  private let handler = InMemoryLogHandler()

  private func bridge(_ level: Logger.Level, callersLog: Bool = false) -> @Sendable (TaskEvent) -> Void {
    var logger = Logger(label: "test") { [handler] _ in handler }
    logger.logLevel = level
    return LogBridge(logger, callersLog: callersLog).report
  }

  /// Fails if: a caller that leaves, or load that is shed, is logged as an error.
  @Test func whatIsNormalIsNoError() async throws {
    let line = SerialTaskExecutor(name: "orders", capacity: 1, onEvent: bridge(.debug))
    line.pause()
    let job = line.submit(name: "first") {}
    await #expect(throws: JobRejection.full(capacity: 1)) { try await line.enqueue(name: "second") {} }
    job.cancel()
    #expect(handler.entries.map(\.level) == [.info, .debug])
    #expect(handler.entries.map { $0.metadata["job"] } == ["second", "first"])
    #expect(handler.entries.allSatisfy { $0.metadata["executor"] == "orders" })
  }

  /// Fails if: what a caller logs is logged twice.
  @Test func whatCallersLogIsDebug() async throws {
    let line = SerialTaskExecutor(name: "orders", capacity: 1, onEvent: bridge(.debug, callersLog: true))
    line.pause()
    let job = line.submit {}
    await #expect(throws: JobRejection.full(capacity: 1)) { try await line.enqueue {} }
    #expect(handler.entries.map(\.level) == [.debug])
    job.cancel()
  }

  /// Fails if: a mistake of the program is not an error, or its log line does not say what waits for what.
  @Test func aDeadlockIsAnError() async throws {
    let line = SerialTaskExecutor(name: "orders", onEvent: bridge(.warning))
    try await line.enqueue { _ = await #expect(throws: JobRejection.self) { try await line.enqueue {} } }
    #expect(handler.entries.map(\.level) == [.error])
    #expect(handler.entries.first?.message.description.contains("orders → orders") == true)
  }
}
