import CoalescingTasks

/// The repository, wrapped once: equal reads share one query, writes of the same account run in order, other accounts go on.
package struct CoalescingAccounts: Accounts {
  /// What is read and written.
  ///
  /// Writes do not touch the list, or all of them would wait for each other. So a list may be as old as a query that runs. Keys are
  /// compared by their bytes, as the database compares them.
  enum Key: Hashable, Sendable { case list, account(Name) }

  private let ledger: Ledger
  private let line: CoalescingTaskExecutor<Key>
  private let limit: Duration?

  package init(_ ledger: Ledger, _ limits: Limits) {
    self.ledger = ledger
    limit = limits.waiting
    line = CoalescingTaskExecutor(name: "accounts", capacity: limits.capacity, onEvent: limits.onEvent)
  }

  // Only first pages are shared: others are rarely asked for by two at a time, and a query that begins now misses nothing that was
  // written before.

  package func list(from account: Name?) async throws -> AccountList {
    if account != nil { return try await ledger.list(from: account) }
    return try await line.read(.list, name: "list", waitingAtMost: limit, rejectedAs: BankError.notBegun) {
      [ledger] in try await ledger.list(from: nil)
    }
  }

  package func account(_ id: Name, from note: Name?) async throws -> Account {
    if note != nil { return try await ledger.account(id, from: note) }
    return try await line.read(.account(id), name: "read", waitingAtMost: limit, rejectedAs: BankError.notBegun) {
      [ledger] in try await ledger.account(id, from: nil)
    }
  }

  package func change(_ change: NoteChange) async throws {
    let (keys, name) = ([Key.account(change.account)], "\(change.kind) \(change.account)")
    try await line.write(touching: keys, name: name, waitingAtMost: limit, rejectedAs: BankError.notBegun) {
      try await ledger.change(change)
    }
  }

  package func transfer(_ transfer: Transfer) async throws {
    // Both accounts in one step: two transfers in opposite directions cannot wait for each other.
    let keys: [Key] = [.account(transfer.from), .account(transfer.to)]
    try await line.write(
      touching: keys, name: transfer.description, waitingAtMost: limit,
      rejectedAs: BankError.notBegun
    ) {
      try await ledger.transfer(transfer)
    }
  }

  package var jobs: [String: (waiting: Int, running: Int)] {
    let now = line.snapshot
    return ["accounts": (now.waiting, now.running)]
  }

  package var parts: [any Drainable] { [line] }
}
