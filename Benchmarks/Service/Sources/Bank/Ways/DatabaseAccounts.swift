import SerialTasks

/// Nothing but the database, in the ways in which it can keep the order.
package struct DatabaseAccounts: Accounts {
  package enum Way: Sendable {
    /// A transfer is approved first, and is then one transaction that reads and writes: approved for balances that may have
    /// changed. A weaker promise than that of all others.
    case approvedBefore
    /// One transaction reads, waits for the approval and writes. SQLite locks the file meanwhile (`BEGIN IMMEDIATE`), PostgreSQL
    /// both rows (`SELECT … FOR UPDATE`).
    case approvedInside
    /// Reads, waits for the approval, and writes if neither account has changed; otherwise all of that again.
    case optimistic
  }

  private let ledger: Ledger
  private let way: Way

  package init(_ ledger: Ledger, _ way: Way) {
    self.ledger = ledger
    self.way = way
  }

  package func list(from account: Name?) async throws -> AccountList { try await ledger.list(from: account) }
  package func account(_ id: Name, from note: Name?) async throws -> Account {
    try await ledger.account(id, from: note)
  }
  package func change(_ change: NoteChange) async throws { try await ledger.change(change) }

  package func transfer(_ transfer: Transfer) async throws {
    if transfer.from == transfer.to { throw BankError.sameAccount }
    let (store, approval) = (ledger.store, ledger.approval)
    switch way {
    case .approvedBefore:
      try await approval.approve(transfer)
      try await store.transfer(transfer) {}
    case .approvedInside: try await store.transfer(transfer) { try await approval.approve(transfer) }
    case .optimistic: try await optimistic(transfer)
    }
  }

  /// However often that takes: with many transfers of one account, it is often.
  private func optimistic(_ transfer: Transfer) async throws {
    while let balances = try await ledger.store.balances(of: transfer) {
      let after = try transfer.applied(to: balances)
      try await ledger.approval.approve(transfer)
      do { return try await ledger.store.save(transfer, leaving: after, if: .unchanged(balances)) } catch BankError
        .changed
      {
        try Task.checkCancellation()
      }
    }
  }

  package var jobs: [String: (waiting: Int, running: Int)] { [:] }
  package var parts: [any Drainable] { [] }
}
