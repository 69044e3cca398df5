/// The tables, and the accounts that they begin with.
package enum Schema {
  package static let openingBalance = 10_000

  package static func name(_ account: Int) -> Name { "account-\(account)" }

  /// In words that SQLite and PostgreSQL both know.
  private static let tables = [
    """
    CREATE TABLE IF NOT EXISTS account (
      id TEXT PRIMARY KEY, balance BIGINT NOT NULL, fence BIGINT NOT NULL DEFAULT 0, version BIGINT NOT NULL DEFAULT 0)
    """,
    "CREATE TABLE IF NOT EXISTS note (id TEXT PRIMARY KEY, account TEXT NOT NULL, text TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS noteOfAccount ON note (account, id)",
    // What was done, by the name that its client gave it; a server would delete old ones.
    "CREATE TABLE IF NOT EXISTS request (id TEXT PRIMARY KEY, content TEXT NOT NULL)",
    // Not unique by request: one that was done twice is to be seen. The place is the order in which accounts were written.
    """
    CREATE TABLE IF NOT EXISTS journal (
      place BIGINT NOT NULL, request TEXT NOT NULL, account TEXT NOT NULL, kind TEXT NOT NULL, amount BIGINT NOT NULL,
      balance BIGINT NOT NULL, fence BIGINT NOT NULL, note TEXT, text TEXT)
    """,
  ]

  /// Makes the tables, and opens accounts in a new database; does nothing in one that has accounts.
  ///
  /// Making one needs rights that a server otherwise does not, also where it is there.
  static func prepare(_ database: any SQLDatabase, accounts: Int) async throws {
    for table in try await areThere(database) ? [] : tables {
      // Another replica that makes it at this moment fails this one when it has made it.
      do { try await make(table, in: database) } catch let error where !(error is StoreError) {
        try await make(table, in: database)
      }
    }
    try await database.transaction { transaction in
      guard try await transaction.rows("SELECT id FROM account LIMIT 1", []).isEmpty else { return }
      for number in 0..<accounts {
        try await transaction.rows(
          "INSERT INTO account (id, balance) VALUES ($1, $2) ON CONFLICT DO NOTHING",
          [name(number).text, "\(openingBalance)"])
      }
    }
  }

  private static func areThere(_ database: any SQLDatabase) async throws -> Bool {
    do {
      for table in ["account", "note", "request", "journal"] {
        _ = try await database.rows("SELECT 1 FROM \(table) LIMIT 0", [])
      }
      return true
    } catch let error where !(error is StoreError) { return false }
  }

  private static func make(_ table: String, in database: any SQLDatabase) async throws {
    try await database.transaction { _ = try await $0.rows(table, []) }
  }
}
