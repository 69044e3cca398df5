import SerialTasks

/// An actor, and nothing else. It lets the next call in at each `await`, so two transfers calculate from the same balance.
package actor PlainAccounts: Accounts {
  private let ledger: Ledger

  package init(_ ledger: Ledger) { self.ledger = ledger }

  package func list(from account: Name?) async throws -> AccountList { try await ledger.list(from: account) }
  package func account(_ id: Name, from note: Name?) async throws -> Account {
    try await ledger.account(id, from: note)
  }
  package func change(_ change: NoteChange) async throws { try await ledger.change(change) }
  package func transfer(_ transfer: Transfer) async throws { try await ledger.transfer(transfer) }

  package nonisolated var jobs: [String: (waiting: Int, running: Int)] { [:] }
  package nonisolated var parts: [any Drainable] { [] }
}
