import CoalescingTasks

/// The repository, wrapped once: equal reads share one query, writes of the same account run in order, other accounts go on.
package struct CoalescingAccounts: Accounts {
  /// What is read and written.
  ///
  /// Writes do not touch the list, or all of them would wait for each other. So a list may be as old as a query that runs.
  enum Key: Hashable, Sendable { case list, account(String) }

  private let ledger: Ledger
  private let line: CoalescingTaskExecutor<Key>
  private let limit: Duration?

  package init(_ ledger: Ledger, _ limits: Limits) {
    self.ledger = ledger
    limit = limits.waiting
    line = CoalescingTaskExecutor(name: "accounts", capacity: limits.capacity, onEvent: limits.onEvent)
  }

  package func list() async throws -> [Account] {
    try await line.read(.list, name: "list", waitingAtMost: limit, rejectedAs: BankError.notBegun) {
      [ledger] in try await ledger.list()
    }
  }

  package func account(_ id: String) async throws -> Account {
    try await line.read(.account(id), name: "read", waitingAtMost: limit, rejectedAs: BankError.notBegun) {
      [ledger] in try await ledger.account(id)
    }
  }

  package func change(_ change: NoteChange) async throws {
    let (keys, name) = ([Key.account(change.account)], change.kind.rawValue)
    try await line.write(touching: keys, name: name, waitingAtMost: limit, rejectedAs: BankError.notBegun) {
      try await ledger.change(change)
    }
  }

  package func transfer(_ transfer: Transfer) async throws {
    // Both accounts in one step: two transfers in opposite directions cannot wait for each other.
    let keys: [Key] = [.account(transfer.from), .account(transfer.to)]
    try await line.write(
      touching: keys, name: "transfer", waitingAtMost: limit, rejectedAs: BankError.notBegun
    ) {
      try await ledger.transfer(transfer)
    }
  }

  package var parts: [any Drainable] { [line] }
}
