import Bank
import SerialTasksFenced

/// The ways that keep the order of the writes of an account.
func waysInOrder(_ ledger: Ledger, _ limits: Limits) -> [any Accounts] {
  [
    SerialAccounts(ledger, limits), CoalescingAccounts(ledger, limits),
    FencedAccounts(ledger, limits, access: Free()),
  ]
}

/// Grants every key at once: for tests of one replica.
struct Free: ExclusiveAccess {
  nonisolated(nonsending) func withAccess(
    to key: Name, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws { try await turn(Fence(number: 1) {}) }
}
