import GRDB

/// The tables, and the accounts that they begin with.
package enum Schema {
  package static let openingBalance = 10_000

  static func migrate(_ pool: DatabasePool) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("accounts") { db in
      try db.execute(
        sql: """
          CREATE TABLE account (
            id TEXT PRIMARY KEY, balance INTEGER NOT NULL, fence INTEGER NOT NULL DEFAULT 0) STRICT;
          CREATE TABLE note (id TEXT PRIMARY KEY, account TEXT NOT NULL, text TEXT NOT NULL) STRICT;
          CREATE INDEX noteByAccount ON note (account);
          -- Not unique by request: a request that was done twice is to be seen.
          CREATE TABLE journal (
            place INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, account TEXT NOT NULL, kind TEXT NOT NULL,
            amount INTEGER NOT NULL, balance INTEGER NOT NULL, fence INTEGER NOT NULL, note TEXT, text TEXT) STRICT;
          """)
    }
    try migrator.migrate(pool)
  }

  package static func name(_ account: Int) -> String { "account-\(account)" }

  /// Opens accounts in a new database; does nothing in one that has accounts.
  static func open(accounts: Int, _ pool: DatabasePool) throws {
    try pool.write { db in
      guard try Int.fetchOne(db, sql: "SELECT count(*) FROM account") == 0 else { return }
      for number in 0..<accounts {
        try db.execute(
          sql: "INSERT INTO account (id, balance) VALUES (?, ?)", arguments: [name(number), openingBalance])
      }
    }
  }
}
