import Bank
import Postgres
import Servers
import Testing

/// Replicas that start at the same moment with a new database.
@Suite(.timeLimit(.minutes(1)), .enabled(if: PostgresServer.program != nil, "there is no PostgreSQL"))
struct NewDatabaseTests {
  /// Fails if: the service does not start because another replica makes tables at that moment, two of them one after the other.
  @Test func eachReplicaMakesTheTables() async throws {
    try await PostgresServer.with { server in
      let tables = [
        "CREATE TABLE note (id TEXT PRIMARY KEY, account TEXT NOT NULL, text TEXT NOT NULL)",
        "CREATE TABLE request (id TEXT PRIMARY KEY, content TEXT NOT NULL)",
      ]
      try await make(tables, in: server) {
        try await Store(PostgresDatabase(server.parameters), accounts: 2).close()
      }
    }
  }

  /// Fails if: an engine does not start because another makes its table at that moment.
  @Test func eachEngineMakesItsTable() async throws {
    try await PostgresServer.with { server in
      let link = try await server.link()
      try await link.query("DROP TABLE serial_tasks_fence", [], within: .seconds(10))
      try await make(["CREATE TABLE serial_tasks_fence (key TEXT PRIMARY KEY, number BIGINT NOT NULL)"], in: server) {
        try await link.query(PostgresAccess.schema, [], within: .seconds(10))
      }
      await link.close()
    }
  }

  /// Makes each table in a transaction that ends when `other`, which begins later, waits for it.
  private func make(
    _ tables: [String], in server: PostgresServer, beside other: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (limit, asking, watching) = (Duration.seconds(10), Asking(), try await server.link())
    var makers: [(link: any PostgresLink, process: String?)] = []
    for table in tables {
      let link = try await server.link()
      for statement in ["BEGIN", table] { try await link.query(statement, [], within: limit) }
      makers.append((link, try await link.query("SELECT pg_backend_pid()", [], within: limit)[0][0]))
    }
    asking.begin(other)
    for (link, process) in makers {
      let waiting = "SELECT pid FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))"
      while try await watching.query(waiting, [process], within: limit).isEmpty {}
      try await link.query("COMMIT", [], within: limit)
      await link.close()
    }
    try await asking.end()
    await watching.close()
  }
}
