import SerialTasks

/// Nothing but the database: a transfer is approved first, and is then one transaction that reads and writes.
package struct DatabaseAccounts: Accounts {
  private let ledger: Ledger

  package init(_ ledger: Ledger) { self.ledger = ledger }

  package func list() async throws -> [Account] { try await ledger.list() }
  package func account(_ id: String) async throws -> Account { try await ledger.account(id) }
  package func change(_ change: NoteChange) async throws { try await ledger.change(change) }

  package func transfer(_ transfer: Transfer) async throws {
    try await ledger.approval.approve(transfer)
    try await ledger.store.transfer(transfer)
  }

  package var parts: [any Drainable] { [] }
}
