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
  /// Changes that were made before another of the account that had been answered before they were asked for.
  package var outOfOrder = 0

  /// The transfers of the account that had most.
  package var hottest = 0

  /// Looks at what is in the database.
  ///
  /// `acknowledged` names the writes that were acknowledged, `refused` those that were answered so that nothing can have been
  /// done, and `moments` says when writes were asked for, and when they were answered, on one clock.
  package init(
    _ database: any SQLDatabase, acknowledged: [String], refused: [String] = [], moments: [String: Span] = [:]
  ) async throws {
    let entries = try await Journal.entries(database)
    let balances = try await database.rows("SELECT id, balance FROM account", []).map { (Name($0[0]!), Int($0[1]!)!) }
    let notes = try await database.rows("SELECT id, text FROM note", []).map { (Name($0[0]!), $0[1]!) }
    self.acknowledged = Set(acknowledged).count
    compare(entries, acknowledged, refused)
    follow(entries, balances: Dictionary(uniqueKeysWithValues: balances))
    replay(entries, notes: Dictionary(uniqueKeysWithValues: notes))
    order(entries, moments)
  }

  /// Whether everything is as it was acknowledged.
  package var isRight: Bool {
    missing.isEmpty && repeated.isEmpty && refusedAndDone.isEmpty && lostUpdates == 0 && wrongBalances == 0
      && wrongNotes == 0 && fencesOutOfOrder == 0 && outOfOrder == 0
  }
}

// MARK: - Comparing

extension Audit {
  private mutating func compare(_ entries: [Entry], _ acknowledged: [String], _ refused: [String]) {
    // A transfer has an entry for each of its accounts.
    var done: [String: [Name]] = [:]
    for entry in entries { done[entry.request, default: []].append(entry.account) }
    repeated = done.filter { Set($0.value).count < $0.value.count }.keys.sorted()
    missing = Set(acknowledged).filter { done[$0] == nil }.sorted()
    refusedAndDone = Set(refused).subtracting(acknowledged).filter { done[$0] != nil }.sorted()
  }

  private mutating func follow(_ entries: [Entry], balances: [Name: Int]) {
    var chain: [Name: Int] = [:]
    var sums: [Name: Int] = [:]
    var fences: [Name: UInt64] = [:]
    var transfers: [Name: Int] = [:]
    for entry in entries {
      if entry.kind == Entry.transfer {
        let before = chain[entry.account] ?? Schema.openingBalance
        if entry.balance != before + entry.amount { lostUpdates += 1 }
        chain[entry.account] = entry.balance
        transfers[entry.account, default: 0] += 1
        sums[entry.account, default: Schema.openingBalance] += entry.amount
      }
      if entry.fence < fences[entry.account] ?? 0 { fencesOutOfOrder += 1 }
      fences[entry.account] = entry.fence
    }
    hottest = transfers.values.max() ?? 0
    wrongBalances = balances.count { $0.value != sums[$0.key] ?? Schema.openingBalance }
  }

  private mutating func replay(_ entries: [Entry], notes: [Name: String]) {
    var expected: [Name: String] = [:]
    for entry in entries {
      guard let note = entry.note else { continue }
      expected[note.id] = entry.kind == NoteChange.Kind.delete.rawValue ? nil : note.text
    }
    let ids = Set(expected.keys).union(notes.keys)
    wrongNotes = ids.count { expected[$0] != notes[$0] }
  }

  /// A write that was answered before another was asked for has to be before it.
  private mutating func order(_ entries: [Entry], _ moments: [String: Span]) {
    var earliestEnd: [Name: UInt64] = [:]
    // From the last one on.
    for entry in entries.reversed() {
      guard let moment = moments[entry.request] else { continue }
      let next = earliestEnd[entry.account] ?? .max
      if next < moment.from { outOfOrder += 1 }
      earliestEnd[entry.account] = min(next, moment.to)
    }
  }
}

/// From one moment to another.
package struct Span: Codable, Hashable, Sendable {
  package var from: UInt64
  package var to: UInt64

  package init(from: UInt64, to: UInt64) {
    self.from = from
    self.to = to
  }
}
