/// The repository, written as if it were alone.
///
/// A transfer reads, asks another service, and writes what it has calculated from what it read. That is right as long as no
/// other task changes the accounts meanwhile.
package struct Ledger: Sendable {
  package let store: Store
  let approval: Approval

  package init(store: Store, approval: Approval) {
    self.store = store
    self.approval = approval
  }

  func list(from account: Name?) async throws -> AccountList { try await store.list(from: account) }

  func account(_ id: Name, from note: Name?) async throws -> Account { try await store.account(id, from: note) }

  func change(_ change: NoteChange, fence: UInt64 = 0) async throws { try await store.change(change, fence: fence) }

  /// In a fleet, the accounts are read and written under these fences.
  package func transfer(_ transfer: Transfer, fences: [Name: UInt64] = [:]) async throws {
    if transfer.from == transfer.to { throw BankError.sameAccount }
    guard let balances = try await store.balances(of: transfer, under: fences) else { return }
    let after = try transfer.applied(to: balances)
    try await approval.approve(transfer)
    try await store.save(transfer, leaving: after, if: fences.isEmpty ? .none : .fences(fences))
  }
}
