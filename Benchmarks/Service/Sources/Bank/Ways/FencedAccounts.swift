import SerialTasks
import SerialTasksFenced

/// One replica of several: writes of an account are ordered over all of them, and the database refuses one that comes too late.
package struct FencedAccounts: Accounts {
  private let ledger: Ledger
  private let writes: FencedSerialTaskExecutor<String>
  /// Merges the reads of this replica.
  ///
  /// It orders nothing. What another replica writes is seen by the next read.
  private let reads: TaskCoalescer<String, Account>
  private let limit: Duration

  package init(_ ledger: Ledger, _ limits: Limits, access: some ExclusiveAccess<String>) {
    self.ledger = ledger
    limit = limits.waiting
    writes = FencedSerialTaskExecutor(
      name: "accounts", access: access, capacityPerKey: limits.capacity, onEvent: limits.onEvent)
    reads = TaskCoalescer(name: "reads", onEvent: limits.onEvent)
  }

  package func list() async throws -> [Account] { try await ledger.list() }

  package func account(_ id: String) async throws -> Account {
    try await reads.value(for: id) { [ledger] in try await ledger.account(id) }
  }

  package func change(_ change: NoteChange) async throws {
    defer { reads.invalidate(change.account) }
    let name = change.kind.rawValue
    try await writes.enqueue(for: change.account, name: name, waitingAtMost: limit) { fence in
      try await ledger.change(change, fence: fence.number)
    }
  }

  package func transfer(_ transfer: Transfer) async throws {
    if transfer.from == transfer.to { throw BankError.sameAccount }
    // Everywhere in the same order: a cycle through another process is not found.
    let (first, second) = (min(transfer.from, transfer.to), max(transfer.from, transfer.to))
    defer {
      reads.invalidate(first)
      reads.invalidate(second)
    }
    let end = ContinuousClock.now + limit
    try await writes.enqueue(for: first, name: "transfer", waitingAtMost: limit) { outer in
      try await writes.enqueue(for: second, name: "transfer", waitingAtMost: end - .now) { inner in
        try await ledger.transfer(transfer, fences: [first: outer.number, second: inner.number])
      }
    }
  }

  package var parts: [any Drainable] { [writes, reads] }

}
