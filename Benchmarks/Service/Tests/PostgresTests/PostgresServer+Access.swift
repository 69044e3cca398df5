import InMemoryLogging
import Logging
import Metrics
import Postgres
import SerialTasksTesting
import Servers

extension PostgresServer {
  /// A server that has the engine's table, and is removed afterwards.
  static func with(options: [String] = [], _ body: (PostgresServer) async throws -> Void) async throws {
    let server = try PostgresServer(options: options)
    try server.start()
    defer { server.remove() }
    let link = try await server.link()
    try await link.query(PostgresAccess.schema, [], within: .seconds(10))
    await link.close()
    // A test waits for another process, and has a time limit.
    try await withPatience(nil) { try await body(server) }
  }

  /// It may take a while until a server that has just started answers.
  func link() async throws -> any PostgresLink {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      do { return try await LibpqLink.connect(parameters, within: .seconds(5)) } catch {
        if ContinuousClock.now > end { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  func newAccess(
    validity: Duration = .seconds(2), interval: Duration = .milliseconds(250), from base: UInt64 = 0,
    prefix: String = "",
    over network: SlowNetwork = SlowNetwork(),
    logger: Logger = Logger(label: "test"), metrics: any MetricsFactory = NOOPMetricsHandler.instance
  ) -> PostgresAccess {
    let limits = PostgresLimits(validity: validity, patience: .seconds(10), interval: interval)
    return PostgresAccess(limits: limits, numbersBeginAt: base, prefix: prefix, logger: logger, metrics: metrics) { _ in
      SlowLink(try await self.link(), network)
    }
  }

  /// Ends all connections of this name, as the server does when it is told to.
  func endConnections(_ name: String) async throws {
    let link = try await link()
    try await link.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [name], within: .seconds(5))
    await link.close()
  }
}
