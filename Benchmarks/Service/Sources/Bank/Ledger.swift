/// The repository as one writes it without a thought of who else is at work: it reads, asks elsewhere, and writes what it has
/// calculated from what it read. Right as long as nobody else changes the accounts meanwhile.
package struct Ledger: Sendable {
  package let store: Store
  let approval: Approval

  package init(store: Store, approval: Approval) {
    self.store = store
    self.approval = approval
  }

  func list() async throws -> [Account] { try await store.list() }

  func account(_ id: String) async throws -> Account { try await store.account(id) }

  func change(_ change: NoteChange, fence: UInt64 = 0) async throws { try await store.change(change, fence: fence) }

  /// - Parameter fences: What the accounts are written under, in a fleet.
  func transfer(_ transfer: Transfer, fences: [String: UInt64] = [:]) async throws {
    let balances = try await store.balances(of: transfer)
    let after = try transfer.applied(to: balances)
    try await approval.approve(transfer)
    try await store.save(transfer, leaving: after, fences: fences)
  }
}
