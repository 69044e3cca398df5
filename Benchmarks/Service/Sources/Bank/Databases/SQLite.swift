import GRDB
import SerialTasks

/// A file, which replicas on one machine may share.
package struct SQLite: SQLDatabase {
  private let pool: DatabasePool
  /// Transactions of this process: each keeps the connection over several calls.
  private let line = SerialTaskExecutor(name: "transactions")

  /// Opens the file, which is made if there is none.
  package init(path: String, readers: Int = 5) throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    configuration.allowsUnsafeTransactions = true
    // Replicas may share the file, and one may start while another writes.
    configuration.busyMode = .timeout(10)
    pool = try DatabasePool(path: path, configuration: configuration)
  }

  /// Those that only read are not counted.
  package var busy: Int { line.snapshot.running }

  /// A transaction that begins with `IMMEDIATE` locks the file, and so all rows.
  package var rowLock: String { "" }

  package func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
    try await told { try await pool.read { db in try SQLite.rows(statement, parameters, db) } }
  }

  package func transaction<Value: Sendable>(
    _ body: @Sendable (any SQLTransaction) async throws -> Value
  ) async throws -> Value {
    try await told {
      try await line.enqueue {
        let transaction = Transaction(pool: pool)
        try await transaction.rows("BEGIN IMMEDIATE", [])
        do {
          let value = try await body(transaction)
          try await transaction.rows("COMMIT", [])
          return value
        } catch {
          // In a task of its own: this one may be cancelled.
          await Task { _ = try? await transaction.rows("ROLLBACK", []) }.value
          throw error
        }
      }
    }
  }

  package func close() throws { try pool.close() }

  private struct Transaction: SQLTransaction {
    let pool: DatabasePool

    @discardableResult
    func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
      try await pool.writeWithoutTransaction { db in try SQLite.rows(statement, parameters, db) }
    }
  }

  private static func rows(_ statement: String, _ parameters: [String?], _ db: Database) throws -> [[String?]] {
    let statement = try db.cachedStatement(sql: statement.replacing("$", with: "?"))
    return try Row.fetchAll(statement, arguments: StatementArguments(parameters)).map { row in
      row.map { String.fromDatabaseValue($0.1) ?? Int64.fromDatabaseValue($0.1).map(String.init) }
    }
  }

  /// A transaction that fails is rolled back, or was never begun.
  private func told<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as DatabaseError {
      guard [.SQLITE_FULL, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
      else { throw error }
      throw StoreError.notDone("\(error)")
    }
  }
}
