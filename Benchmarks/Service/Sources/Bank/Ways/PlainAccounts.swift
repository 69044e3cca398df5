import SerialTasks

/// An actor, and nothing else. It lets the next call in at each `await`, so two transfers calculate from the same balance.
package actor PlainAccounts: Accounts {
  private let ledger: Ledger

  package init(_ ledger: Ledger) { self.ledger = ledger }

  package func list() async throws -> [Account] { try await ledger.list() }
  package func account(_ id: String) async throws -> Account { try await ledger.account(id) }
  package func change(_ change: NoteChange) async throws { try await ledger.change(change) }
  package func transfer(_ transfer: Transfer) async throws { try await ledger.transfer(transfer) }

  package nonisolated var parts: [any Drainable] { [] }
}
