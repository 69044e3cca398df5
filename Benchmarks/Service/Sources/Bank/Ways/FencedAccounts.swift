import SerialTasks
import SerialTasksFenced

/// One replica of several: writes of an account are ordered over all of them, and the database refuses one that comes too late.
package struct FencedAccounts: Accounts {
  private let ledger: Ledger
  private let writes: FencedSerialTaskExecutor<String>
  /// Merges the reads of this replica.
  ///
  /// It orders nothing. A read may join a query that began before another replica's write, and miss it; a read that begins its
  /// own query sees what was written before.
  private let reads: TaskCoalescer<String, Account>
  private let limit: Duration?

  package init(_ ledger: Ledger, _ limits: Limits, access: some ExclusiveAccess<String>) {
    self.ledger = ledger
    limit = limits.waiting
    writes = FencedSerialTaskExecutor(
      name: "accounts", access: access, capacityPerKey: limits.capacity, onEvent: limits.onEvent)
    reads = TaskCoalescer(name: "reads", onEvent: limits.onEvent)
  }

  package func list() async throws -> [Account] { try await ledger.list() }

  package func account(_ id: String) async throws -> Account {
    do {
      return try await reads.value(for: id) { [ledger] in try await ledger.account(id) }
    } catch let rejection as JobRejection { throw BankError.notBegun(rejection) }  // or has begun, and changes nothing
  }

  package func change(_ change: NoteChange) async throws {
    defer { reads.invalidate(change.account) }
    try await turn(of: change.account, change.kind.rawValue, until: end) { fence in
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
    let end = end
    try await turn(of: first, "transfer", until: end) { outer in
      // If this one is rejected, the outer turn has done nothing either.
      try await turn(of: second, "transfer", until: end) { inner in
        try await ledger.transfer(transfer, fences: [first: outer.number, second: inner.number])
      }
    }
  }

  /// When a request that comes now has waited long enough.
  private var end: ContinuousClock.Instant? { limit.map { .now + $0 } }

  private nonisolated(nonsending) func turn(
    of account: String, _ name: String, until end: ContinuousClock.Instant?,
    _ job: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    try await writes.enqueue(
      for: account, name: name, waitingAtMost: end.map { $0 - .now }, rejectedAs: BankError.init(notBegun:), job)
  }

  package var parts: [any Drainable] { [writes, reads] }
}

extension BankError {
  init(notBegun rejection: FencedRejection) {
    switch rejection {
    case .rejected(let why): self = .notBegun(why)
    case .noAccess(let error): self = .noAccess("\(error)")
    }
  }
}
