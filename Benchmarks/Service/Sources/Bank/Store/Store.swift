import GRDB
import Synchronization

/// The database.
///
/// Each call is one transaction; between two calls, anything may change.
package struct Store: Sendable {
  private let pool: DatabasePool
  private let counts = Counts()

  /// Opens the file, which is made if there is none; a new one begins with so many accounts.
  package init(path: String, accounts: Int, readers: Int = 5) throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    // Replicas of a fleet share the file, and one may start while another writes.
    configuration.busyMode = .timeout(10)
    pool = try DatabasePool(path: path, configuration: configuration)
    try Schema.migrate(pool)
    try Schema.open(accounts: accounts, pool)
  }

  package func close() throws { try pool.close() }

  /// How often the database was read by requests.
  package var reads: Int { counts.reads.load(ordering: .relaxed) }

  private final class Counts: Sendable { let reads = Atomic(0) }
}

// MARK: - Reading

extension Store {
  package func list() async throws -> [Account] {
    counts.reads.add(1, ordering: .relaxed)
    return try await pool.read { db in
      try Row.fetchAll(db, sql: "SELECT id, balance FROM account ORDER BY id").map {
        Account(id: $0["id"], balance: $0["balance"])
      }
    }
  }

  package func account(_ id: String) async throws -> Account {
    counts.reads.add(1, ordering: .relaxed)
    return try await pool.read { db in
      let balance = try Store.balance(of: id, db)
      let notes = try Row.fetchAll(db, sql: "SELECT id, text FROM note WHERE account = ? ORDER BY id", arguments: [id])
      return Account(id: id, balance: balance, notes: notes.map { Note(id: $0["id"], text: $0["text"]) })
    }
  }

  /// Returns the balances of two accounts at one moment, from which new ones are calculated.
  ///
  /// In a fleet, they are read under the fences of the turn. The fences are registered before anything is read. Otherwise the
  /// write of an earlier holder, which comes too late, would be accepted between this read and the write that follows it, and be
  /// overwritten by that. A fence that is first seen with the write prevents no lost update.
  package func balances(
    of transfer: Transfer, under fences: [String: UInt64] = [:]
  ) async throws -> (from: Int, to: Int) {
    if fences.isEmpty { return try await pool.read { db in try Store.balances(of: transfer, db) } }
    return try await pool.write { db in
      for (account, fence) in fences { try Store.register(fence, of: account, db) }
      return try Store.balances(of: transfer, db)
    }
  }

  private static func balance(of id: String, _ db: Database) throws -> Int {
    guard let balance = try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = ?", arguments: [id]) else {
      throw BankError.missing(id)
    }
    return balance
  }

  private static func balances(of transfer: Transfer, _ db: Database) throws -> (from: Int, to: Int) {
    (try balance(of: transfer.from, db), try balance(of: transfer.to, db))
  }
}

// MARK: - Writing

extension Store {
  /// Saves balances that were calculated elsewhere, and the journal.
  ///
  /// In a fleet, each account is written under a fence. If one is lower than the account has seen, nothing is saved.
  package func save(
    _ transfer: Transfer, leaving balances: (from: Int, to: Int), fences: [String: UInt64] = [:]
  ) async throws {
    try await pool.write { db in try Store.save(transfer, balances, fences, db) }
  }

  /// Reads and writes in one transaction.
  package func transfer(_ transfer: Transfer) async throws {
    try await pool.write { db in
      let found = try Store.balances(of: transfer, db)
      try Store.save(transfer, transfer.applied(to: found), [:], db)
    }
  }

  package func change(_ change: NoteChange, fence: UInt64 = 0) async throws {
    try await pool.write { db in
      try Store.register(fence, of: change.account, db)
      let balance = try Store.balance(of: change.account, db)
      let note = change.note
      switch change.kind {
      case .add:
        try db.execute(
          sql: "INSERT INTO note (id, account, text) VALUES (?, ?, ?)", arguments: [note.id, change.account, note.text])
      case .update:
        try db.execute(
          sql: "UPDATE note SET text = ? WHERE id = ? AND account = ?", arguments: [note.text, note.id, change.account])
      case .delete:
        try db.execute(sql: "DELETE FROM note WHERE id = ? AND account = ?", arguments: [note.id, change.account])
      }
      if db.changesCount == 0 { throw BankError.missing(note.id) }
      try Journal.append(
        Entry(
          request: change.id, account: change.account, kind: change.kind.rawValue, amount: 0, balance: balance,
          fence: fence, note: note), db)
    }
  }

  private static func save(
    _ transfer: Transfer, _ balances: (from: Int, to: Int), _ fences: [String: UInt64], _ db: Database
  ) throws {
    let sides = [
      (transfer.from, -transfer.amount, balances.from), (transfer.to, transfer.amount, balances.to),
    ]
    for (account, amount, balance) in sides {
      let fence = fences[account] ?? 0
      try register(fence, of: account, db)
      try db.execute(sql: "UPDATE account SET balance = ? WHERE id = ?", arguments: [balance, account])
      try Journal.append(
        Entry(
          request: transfer.id, account: account, kind: Entry.transfer, amount: amount, balance: balance, fence: fence,
          note: nil), db)
    }
  }

  /// Refuses a caller that comes too late, and from now on every caller with a lower fence: this is what makes a fence safe.
  private static func register(_ fence: UInt64, of account: String, _ db: Database) throws {
    let fence = Int64(fence)
    try db.execute(
      sql: "UPDATE account SET fence = ? WHERE id = ? AND fence <= ?", arguments: [fence, account, fence])
    if db.changesCount > 0 { return }
    // Either there is no such account, or it has seen a higher fence.
    _ = try balance(of: account, db)
    throw BankError.fencedOff(account)
  }
}

extension Transfer {
  /// What the balances are after it.
  package func applied(to balances: (from: Int, to: Int)) throws -> (from: Int, to: Int) {
    if from == to { throw BankError.sameAccount }
    if balances.from < amount { throw BankError.insufficient(from) }
    return (balances.from - amount, balances.to + amount)
  }
}
