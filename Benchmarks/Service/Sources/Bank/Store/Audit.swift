import GRDB

/// What the database holds after everything has ended, compared with what clients were told.
package struct Audit: Codable, Hashable, Sendable {
  package var acknowledged = 0
  /// Acknowledged, and not in the database.
  package var missing: [String] = []
  /// In the database more often than once.
  package var repeated: [String] = []
  /// Refused for certain, and in the database all the same.
  package var refusedAndDone: [String] = []
  /// Changes that were calculated from a balance that was not the newest one.
  package var lostUpdates = 0
  /// Accounts whose balance is not what their journal adds up to.
  package var wrongBalances = 0
  /// Notes that are not what their journal says.
  package var wrongNotes = 0
  /// Changes under a lower fence than an earlier change of the account.
  package var fencesOutOfOrder = 0

  package init(database path: String, acknowledged: [String], refused: [String] = []) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let (entries, balances, notes) = try queue.read { db in
      (
        try Journal.entries(db),
        try Row.fetchAll(db, sql: "SELECT id, balance FROM account").map { ($0["id"] as String, $0["balance"] as Int) },
        try Row.fetchAll(db, sql: "SELECT id, text FROM note").map { ($0["id"] as String, $0["text"] as String) }
      )
    }
    try queue.close()
    self.acknowledged = acknowledged.count
    compare(entries, acknowledged, refused)
    follow(entries, balances: Dictionary(uniqueKeysWithValues: balances))
    replay(entries, notes: Dictionary(uniqueKeysWithValues: notes))
  }

  /// Whether everything is as it was acknowledged.
  package var isRight: Bool {
    missing.isEmpty && repeated.isEmpty && refusedAndDone.isEmpty && lostUpdates == 0 && wrongBalances == 0
      && wrongNotes == 0 && fencesOutOfOrder == 0
  }
}

// MARK: - Comparing

extension Audit {
  private mutating func compare(_ entries: [Entry], _ acknowledged: [String], _ refused: [String]) {
    // A transfer has an entry for each of its accounts.
    var done: [String: [String]] = [:]
    for entry in entries { done[entry.request, default: []].append(entry.account) }
    repeated = done.filter { Set($0.value).count < $0.value.count }.keys.sorted()
    missing = acknowledged.filter { done[$0] == nil }.sorted()
    refusedAndDone = refused.filter { done[$0] != nil }.sorted()
  }

  private mutating func follow(_ entries: [Entry], balances: [String: Int]) {
    var chain: [String: Int] = [:]
    var sums: [String: Int] = [:]
    var fences: [String: UInt64] = [:]
    for entry in entries {
      if entry.kind == Entry.transfer {
        let before = chain[entry.account] ?? Schema.openingBalance
        if entry.balance != before + entry.amount { lostUpdates += 1 }
        chain[entry.account] = entry.balance
        sums[entry.account, default: Schema.openingBalance] += entry.amount
      }
      if entry.fence < fences[entry.account] ?? 0 { fencesOutOfOrder += 1 }
      fences[entry.account] = entry.fence
    }
    wrongBalances = balances.count { $0.value != sums[$0.key] ?? Schema.openingBalance }
  }

  private mutating func replay(_ entries: [Entry], notes: [String: String]) {
    var expected: [String: String] = [:]
    for entry in entries {
      guard let note = entry.note else { continue }
      expected[note.id] = entry.kind == NoteChange.Kind.delete.rawValue ? nil : note.text
    }
    let ids = Set(expected.keys).union(notes.keys)
    wrongNotes = ids.count { expected[$0] != notes[$0] }
  }
}
