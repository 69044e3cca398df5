import SerialTasks

/// One line for everything: right, and slow, because accounts wait for each other.
package struct SerialAccounts: Accounts {
  private let ledger: Ledger
  private let line: SerialTaskExecutor
  private let limit: Duration?

  package init(_ ledger: Ledger, _ limits: Limits) {
    self.ledger = ledger
    limit = limits.waiting
    line = SerialTaskExecutor(name: "accounts", capacity: limits.capacity, onEvent: limits.onEvent)
  }

  package func list(from account: Name?) async throws -> AccountList {
    try await turn("list") { try await ledger.list(from: account) }
  }

  package func account(_ id: Name, from note: Name?) async throws -> Account {
    try await turn("read") { try await ledger.account(id, from: note) }
  }

  package func change(_ change: NoteChange) async throws {
    try await turn(change.kind.rawValue) { try await ledger.change(change) }
  }

  package func transfer(_ transfer: Transfer) async throws {
    try await turn("transfer") { try await ledger.transfer(transfer) }
  }

  private nonisolated(nonsending) func turn<Value>(
    _ name: String, _ job: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    try await line.enqueue(name: name, waitingAtMost: limit, rejectedAs: BankError.notBegun, job)
  }

  package var jobs: [String: (waiting: Int, running: Int)] {
    let now = line.snapshot
    return ["accounts": (now.waiting, now.running)]
  }

  package var parts: [any Drainable] { [line] }
}
