import Bank
import Postgres
import Servers
import Serving
import Synchronization
import Testing

/// A database whose answer to `COMMIT` is lost: it was done, and that is not known.
@Suite(.timeLimit(.minutes(1)), .enabled(if: PostgresServer.program != nil, "there is no PostgreSQL"))
struct LostAnswerTests {
  /// Fails if: the client is told that nothing was done, or what was done is done again when it asks again.
  @Test func aRequestWhoseAnswerWasLostIsDoneOnce() async throws {
    let (server, network) = (try PostgresServer(), LossyNetwork())
    try server.start()
    defer { server.remove() }
    let database = PostgresDatabase(server.parameters) { LossyLink(link: $0, network: network) }
    let end = ContinuousClock.now + .seconds(20)
    var found = try? await Store(database, accounts: 2)
    while found == nil, ContinuousClock.now < end { found = try? await Store(database, accounts: 2) }
    let store = try #require(found)
    let ledger = Ledger(store: store, approval: Approval(latency: .zero))
    let transfer = Transfer(id: "a", from: Schema.name(0), to: Schema.name(1), amount: 10)
    network.losesCommit.store(true, ordering: .relaxed)
    await #expect {
      try await ledger.transfer(transfer)
    } throws: { error in
      guard case StoreError.unknown = error, case .unknown = Refusal(error) else { return false }
      return true
    }
    try await ledger.transfer(transfer)
    #expect(try await store.account(Schema.name(0)).balance == Schema.openingBalance - 10)
    let audit = try await Audit(database, acknowledged: ["a"])
    #expect(audit.isRight, "\(audit)")
    await database.close()
  }
}

private final class LossyNetwork: Sendable { let losesCommit = Atomic(false) }

/// A connection that may end before it has answered.
private struct LossyLink: PostgresLink {
  let link: any PostgresLink
  let network: LossyNetwork

  func query(_ statement: String, _ parameters: [String?], within limit: Duration) async throws -> [[String?]] {
    let rows = try await link.query(statement, parameters, within: limit)
    guard statement == "COMMIT", network.losesCommit.exchange(false, ordering: .relaxed) else { return rows }
    await link.close()
    throw PostgresError.unavailable("the connection ended")
  }

  func notifications(within limit: Duration) async throws -> [PostgresNotification] {
    try await link.notifications(within: limit)
  }

  var isOpen: Bool { get async { await link.isOpen } }
  func close() async { await link.close() }
}
