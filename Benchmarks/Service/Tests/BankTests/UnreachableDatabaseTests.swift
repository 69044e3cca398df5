import Bank
import Postgres
import SerialTasksTesting
import Testing

/// A database that cannot be reached, or that has not enough connections.
@Suite(.timeLimit(.minutes(1))) struct UnreachableDatabaseTests {
  private func isNotDone(_ error: any Error) -> Bool {
    guard case StoreError.notDone = error else { return false }
    return true
  }

  private func connect(_ attempts: Gate) -> @Sendable (Duration) async throws -> any PostgresLink {
    { _ in
      await attempts.pass()
      throw PostgresError.unavailable("no answer in time")
    }
  }

  /// Each of those that wait may have the turn of an account.
  ///
  /// Fails if: all of them find out for themselves that there is no answer, one after another.
  @Test func oneFindsOutForAll() async throws {
    let attempts = Gate()
    let database = PostgresDatabase(
      connections: 1, limit: .seconds(600), pauseAfterFailure: .seconds(600), connect(attempts))
    await withTaskGroup { group in
      for _ in 0..<5 {
        group.addTask {
          await #expect { _ = try await database.rows("SELECT 1", []) } throws: { isNotDone($0) }
        }
      }
      await attempts.waitForArrivals()
      attempts.open()
    }
    #expect(attempts.arrivals == 1)
  }

  /// Fails if: a database that did not answer once is never tried again.
  @Test func itIsTriedAgain() async throws {
    let attempts = Gate()
    attempts.open()
    let database = PostgresDatabase(connections: 1, limit: .zero, pauseAfterFailure: .zero, connect(attempts))
    for _ in 0..<3 { await #expect { _ = try await database.rows("SELECT 1", []) } throws: { isNotDone($0) } }
    #expect(attempts.arrivals == 3)
  }

  /// Fails if: a turn waits without a limit for a connection that others have.
  @Test func aConnectionIsWaitedForForALimitedTime() async throws {
    let statement = Gate()
    let database = PostgresDatabase(connections: 1, limit: .milliseconds(50)) { _ in BusyLink(statement: statement) }
    async let first = database.rows("SELECT 1", [])
    await statement.waitForArrivals()
    await #expect { _ = try await database.rows("SELECT 1", []) } throws: { isNotDone($0) }
    statement.open()
    #expect(try await first.isEmpty)
    #expect(statement.arrivals == 1)
  }
}

/// A connection whose statements wait for a gate.
private struct BusyLink: PostgresLink {
  let statement: Gate

  func query(_ statement: String, _ parameters: [String?], within limit: Duration) async throws -> [[String?]] {
    await self.statement.pass()
    return []
  }

  func notifications(within limit: Duration) async throws -> [PostgresNotification] { [] }
  var isOpen: Bool { get async { true } }
  func close() async {}
}
