import SerialTasks

/// One line for everything: right, and slow, because accounts wait for each other.
package struct SerialAccounts: Accounts {
  private let ledger: Ledger
  private let line: SerialTaskExecutor
  private let limit: Duration

  package init(_ ledger: Ledger, _ limits: Limits) {
    self.ledger = ledger
    limit = limits.waiting
    line = SerialTaskExecutor(name: "accounts", capacity: limits.capacity, onEvent: limits.onEvent)
  }

  package func list() async throws -> [Account] {
    try await line.enqueue(name: "list", waitingAtMost: limit) { try await ledger.list() }
  }

  package func account(_ id: String) async throws -> Account {
    try await line.enqueue(name: "read", waitingAtMost: limit) { try await ledger.account(id) }
  }

  package func change(_ change: NoteChange) async throws {
    try await line.enqueue(name: change.kind.rawValue, waitingAtMost: limit) { try await ledger.change(change) }
  }

  package func transfer(_ transfer: Transfer) async throws {
    try await line.enqueue(name: "transfer", waitingAtMost: limit) { try await ledger.transfer(transfer) }
  }

  package var parts: [any Drainable] { [line] }

}
