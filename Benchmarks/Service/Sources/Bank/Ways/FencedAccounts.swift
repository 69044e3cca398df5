import CoalescingTasks
import SerialTasksFenced
import Synchronization

/// One replica of several: writes of an account are ordered over all of them, and the database refuses one that comes too late.
package struct FencedAccounts: Accounts {
  private let ledger: Ledger
  private let writes: FencedSerialTaskExecutor<Name>
  /// Merges the reads of this replica.
  ///
  /// It orders nothing. A read may join a query that began before another replica's write, and miss it; a read that begins its
  /// own query sees what was written before.
  private let reads: TaskCoalescer<Name, Account>
  private let limit: Duration?
  /// The highest number that the engine can have granted for an account so far, where it can be asked for.
  private let newestNumber: (@Sendable (Name) async throws -> UInt64)?
  private let known = Known()

  /// Accounts that exist, as far as is known: none is ever closed.
  private final class Known: Sendable { let accounts = Mutex<Set<Name>>([]) }

  package init(
    _ ledger: Ledger, _ limits: Limits, access: some ExclusiveAccess<Name>,
    jobsPerAccess: Int = 100, keepsAccessFor kept: Duration = .zero,
    newestNumber: (@Sendable (Name) async throws -> UInt64)? = nil
  ) {
    self.ledger = ledger
    self.newestNumber = newestNumber
    limit = limits.waiting
    writes = FencedSerialTaskExecutor(
      name: "accounts", access: access, jobsPerAccess: jobsPerAccess, keepsAccessFor: kept, capacity: limits.capacity,
      onEvent: limits.onEvent)
    reads = TaskCoalescer(name: "reads", onEvent: limits.onEvent)
  }

  package func list(from account: Name?) async throws -> AccountList { try await ledger.list(from: account) }

  package func account(_ id: Name, from note: Name?) async throws -> Account {
    // Only first pages are shared: others are rarely asked for by two at a time.
    if note != nil { return try await ledger.account(id, from: note) }
    do {
      return try await reads.value(for: id) { [ledger] in try await ledger.account(id, from: nil) }
    } catch let rejection as JobRejection { throw BankError.notBegun(rejection) }  // or has begun, and changes nothing
  }

  package func transfer(_ transfer: Transfer) async throws {
    if transfer.from == transfer.to { throw BankError.sameAccount }
    for account in transfer.accounts { try await mustExist(account) }
    defer { for account in transfer.accounts { reads.invalidate(account) } }
    try await writes.enqueue(
      touching: transfer.accounts, name: transfer.description, waitingAtMost: limit,
      rejectedAs: BankError.init(notBegun:)
    ) { fences in
      try await explained { try await ledger.transfer(transfer, fences: fences.mapValues(\.number)) }
    }
  }

  package func change(_ change: NoteChange) async throws {
    try await mustExist(change.account)
    defer { reads.invalidate(change.account) }
    try await writes.enqueue(
      for: change.account, name: "\(change.kind) \(change.account)", waitingAtMost: limit,
      rejectedAs: BankError.init(notBegun:)
    ) { fence in
      try await explained { try await ledger.change(change, fence: fence.number) }
    }
  }

  /// Throws if there is no such account: an engine keeps a little for each name that it is asked for.
  private func mustExist(_ account: Name) async throws {
    if known.accounts.withLock({ $0.contains(account) }) { return }
    guard try await ledger.store.hasAccount(account) else { throw BankError.missing(account) }
    known.accounts.withLock { _ = $0.insert(account) }
  }

  /// Tells a late write from an engine whose numbers have begun again.
  ///
  /// A late write has a lower number than one that the engine has granted since. If it cannot have granted what the store has seen,
  /// its numbers have begun again.
  private nonisolated(nonsending) func explained(
    _ write: nonisolated(nonsending) () async throws -> Void
  ) async throws {
    do { try await write() } catch BankError.fencedOff(let account, let fence, let seen) {
      if let newest = try? await newestNumber?(account), newest < seen {
        throw BankError.numbersBeganAgain(seen: seen, newest: newest)
      }
      throw BankError.fencedOff(account, fence: fence, seen: seen)
    }
  }

  package var jobs: [String: (waiting: Int, running: Int)] {
    let (writing, reading) = (writes.snapshot, reads.snapshot)
    return ["accounts": (writing.waiting, writing.running), "reads": (reading.waiting, reading.running)]
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
