import Synchronization

/// What is in the database: accounts, notes, what was done, and in which order.
///
/// Each call is one transaction; between two calls, anything may change.
package struct Store: Sendable {
  private let database: any SQLDatabase
  private let counts = Counts()

  /// Prepares the database; a new one begins with so many accounts.
  package init(_ database: any SQLDatabase, accounts: Int) async throws {
    self.database = database
    try await Schema.prepare(database, accounts: accounts)
  }

  package func close() async throws { try await database.close() }

  package var busy: Int { database.busy }

  /// How often the database was read by requests.
  package var reads: Int { counts.reads.load(ordering: .relaxed) }

  private final class Counts: Sendable { let reads = Atomic(0) }
}

/// The balances of two accounts at one moment.
package struct Balances: Hashable, Sendable {
  package var from: Int
  package var to: Int
  /// How often each was written until then.
  package var versions: [Name: Int]
}

/// What has to be so when accounts are written.
package enum Condition: Sendable {
  /// Nothing: the caller knows that no other writes them.
  case none
  /// No higher fence has been seen.
  case fences([Name: UInt64])
  /// They have not been written since they were read.
  case unchanged(Balances)

  fileprivate func fence(_ account: Name) -> UInt64 {
    if case .fences(let fences) = self { fences[account] ?? 0 } else { 0 }
  }
}

// MARK: - Reading

extension Store {
  /// How many accounts or notes a page has at most.
  package static let page = 100
  /// Behind so many characters of notes, a page ends.
  package static let pageCharacters = 1 << 15

  package func list(from first: Name?) async throws -> AccountList {
    counts.reads.add(1, ordering: .relaxed)
    let rows = try await database.rows(
      "SELECT id, balance FROM account WHERE id >= $1 ORDER BY id LIMIT \(Store.page + 1)", [first?.text ?? ""])
    let accounts = rows.map { Account(id: Name($0[0]!), balance: Int($0[1]!)!) }
    return AccountList(
      accounts: Array(accounts.prefix(Store.page)), next: accounts.dropFirst(Store.page).first?.id)
  }

  /// Returns an account with a page of its notes, from this one on.
  ///
  /// Not with all of them: clients make notes, and what one client may ask for has a limit.
  package func account(_ id: Name, from first: Name? = nil) async throws -> Account {
    counts.reads.add(1, ordering: .relaxed)
    let rows = try await database.rows(
      """
      SELECT account.balance, page.id, CASE WHEN page.before < \(Store.pageCharacters) THEN page.text END
      FROM account LEFT JOIN (
        SELECT id, text, sum(length(text)) OVER (ORDER BY id) - length(text) AS before
        FROM (SELECT id, text FROM note WHERE account = $1 AND id >= $2 ORDER BY id LIMIT \(Store.page + 1)) AS notes
      ) AS page ON 1 = 1
      WHERE account.id = $1 ORDER BY page.id
      """, [id.text, first?.text ?? ""])
    guard let balance = rows.first?[0].flatMap(Int.init) else { throw BankError.missing(id) }
    // Of those for which there is no room, only the name.
    let found = rows.prefix { $0[2] != nil }.prefix(Store.page)
    let notes = found.map { row in Note(id: Name(row[1]!), text: row[2]!) }
    return Account(id: id, balance: balance, notes: notes, next: rows.dropFirst(found.count).first?[1].map { Name($0) })
  }

  /// Returns the balances of two accounts, from which new ones are calculated; `nil` if the transfer was done already.
  ///
  /// In a fleet, they are read under the fences of the turn. The fences are registered before anything is read. Otherwise the
  /// write of an earlier holder, which comes too late, would be accepted between this read and the write that follows it, and be
  /// overwritten by that. A fence that is first seen with the write prevents no lost update.
  package func balances(of transfer: Transfer, under fences: [Name: UInt64] = [:]) async throws -> Balances? {
    if fences.isEmpty { return try await balances(of: transfer) { try await database.rows($0, $1) } }
    return try await database.transaction { transaction in
      for account in transfer.accounts { try await register(fences[account] ?? 0, of: account, transaction) }
      return try await balances(of: transfer) { try await transaction.rows($0, $1) }
    }
  }

  /// In one statement: whether it was done, and the balances.
  private func balances(
    of transfer: Transfer, lock: String = "", _ rows: (String, [String?]) async throws -> [[String?]]
  ) async throws -> Balances? {
    // In one order, so that two transactions never wait for each other.
    let found = try await rows(
      """
      SELECT id, balance, version, (SELECT content FROM request WHERE id = $3) FROM account
      WHERE id = $1 OR id = $2 ORDER BY id
      """ + lock, [transfer.from, transfer.to, transfer.id].map(\.text))
    if let content = found.first?[3], try Request(transfer).isDone(content) { return nil }
    var (balances, versions): ([Name: Int], [Name: Int]) = ([:], [:])
    for row in found { (balances[Name(row[0]!)], versions[Name(row[0]!)]) = (Int(row[1]!), Int(row[2]!)) }
    guard let from = balances[transfer.from] else { throw BankError.missing(transfer.from) }
    guard let to = balances[transfer.to] else { throw BankError.missing(transfer.to) }
    return Balances(from: from, to: to, versions: versions)
  }

  package func hasAccount(_ id: Name) async throws -> Bool {
    try await !database.rows("SELECT id FROM account WHERE id = $1", [id.text]).isEmpty
  }

  /// The highest fence that any account has seen.
  package func highestFence() async throws -> UInt64 {
    try await database.rows("SELECT max(fence) FROM account", []).first?[0].flatMap(UInt64.init) ?? 0
  }
}

// MARK: - Writing

extension Store {
  /// Saves balances that were calculated elsewhere, and the journal; does nothing if that was done already.
  package func save(
    _ transfer: Transfer, leaving after: Balances, if condition: Condition = .none
  ) async throws {
    try await database.transaction { try await save(transfer, after, condition, $0) }
  }

  /// Reads, waits for the approval and writes in one transaction, which keeps others from both accounts.
  package func transfer(_ transfer: Transfer, approving: @Sendable () async throws -> Void) async throws {
    try await database.transaction { transaction in
      let found = try await balances(of: transfer, lock: database.rowLock) { try await transaction.rows($0, $1) }
      guard let found else { return }
      let after = try transfer.applied(to: found)
      try await approving()
      try await save(transfer, after, .none, transaction)
    }
  }

  private func save(
    _ transfer: Transfer, _ after: Balances, _ condition: Condition, _ transaction: any SQLTransaction
  ) async throws {
    guard try await Request(transfer).begins(transaction) else { return }
    let sides = [(transfer.from, -transfer.amount, after.from), (transfer.to, transfer.amount, after.to)]
    for (account, amount, balance) in sides.sorted(by: { $0.0 < $1.0 }) {
      let place = try await write(account, balance, condition, transaction)
      try await Journal.append(
        Entry(
          place: place, request: transfer.id.text, account: account, kind: Entry.transfer, amount: amount,
          balance: balance,
          fence: condition.fence(account), note: nil), transaction)
    }
  }

  /// Changes a note; does nothing if that was done already.
  package func change(_ change: NoteChange, fence: UInt64 = 0) async throws {
    try await database.transaction { transaction in
      guard try await Request(change).begins(transaction) else { return }
      let (account, note) = (change.account, change.note)
      let place = try await write(account, nil, .fences([account: fence]), transaction)
      let done = try await transaction.rows(change.kind.statement, change.kind.parameters(note, of: account))
      if done.isEmpty { throw change.kind == .add ? BankError.exists(note.id) : .missing(note.id) }
      try await Journal.append(
        Entry(
          place: place, request: change.id.text, account: account, kind: change.kind.rawValue, amount: 0, balance: 0,
          fence: fence, note: note), transaction)
    }
  }

  /// Writes an account, if the condition holds; returns how often it was written, with this.
  private func write(
    _ account: Name, _ balance: Int?, _ condition: Condition, _ transaction: any SQLTransaction
  ) async throws -> Int {
    var statement = "UPDATE account SET version = version + 1, balance = coalesce($2, balance)"
    var parameters = [account.text, balance.map(String.init)]
    switch condition {
    case .none: statement += " WHERE id = $1"
    case .fences:
      statement += ", fence = $3 WHERE id = $1 AND fence <= $3"
      parameters.append("\(condition.fence(account))")
    case .unchanged(let read):
      statement += " WHERE id = $1 AND version = $3"
      parameters.append("\(read.versions[account] ?? -1)")
    }
    let rows = try await transaction.rows(statement + " RETURNING version", parameters)
    if let version = rows.first?[0].flatMap(Int.init) { return version }
    throw try await refusal(of: account, condition, transaction)
  }

  /// Refuses a caller that comes too late, and from now on every caller with a lower fence: this is what makes a fence safe.
  private func register(_ fence: UInt64, of account: Name, _ transaction: any SQLTransaction) async throws {
    let rows = try await transaction.rows(
      "UPDATE account SET fence = $2 WHERE id = $1 AND fence <= $2 RETURNING id", [account.text, "\(fence)"])
    if rows.isEmpty { throw try await refusal(of: account, .fences([account: fence]), transaction) }
  }

  /// Says why an account was not written.
  private func refusal(
    of account: Name, _ condition: Condition, _ transaction: any SQLTransaction
  ) async throws -> BankError {
    let found = try await transaction.rows("SELECT fence FROM account WHERE id = $1", [account.text])
    guard let seen = found.first?[0].flatMap(UInt64.init) else { return .missing(account) }
    if case .unchanged = condition { return .changed(account) }
    return .fencedOff(account, fence: condition.fence(account), seen: seen)
  }
}

extension NoteChange.Kind {
  fileprivate var statement: String {
    switch self {
    case .add: "INSERT INTO note (id, account, text) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id"
    case .update: "UPDATE note SET text = $3 WHERE id = $1 AND account = $2 RETURNING id"
    case .delete: "DELETE FROM note WHERE id = $1 AND account = $2 RETURNING id"
    }
  }

  fileprivate func parameters(_ note: Note, of account: Name) -> [String?] {
    [note.id.text, account.text] + (self == .delete ? [] : [note.text])
  }
}

extension Transfer {
  /// Both accounts, in the one order in which they are taken everywhere.
  package var accounts: [Name] { [from, to].sorted() }

  /// What the balances are after it.
  package func applied(to balances: Balances) throws -> Balances {
    if from == to { throw BankError.sameAccount }
    if balances.from < amount { throw BankError.insufficient(from) }
    return Balances(from: balances.from - amount, to: balances.to + amount, versions: balances.versions)
  }
}
