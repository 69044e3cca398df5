// The blocks of the article on what lies beyond one process, and of the doc comments of SerialTasksFenced.
import SerialTasks
import SerialTasksFenced
import SerialTasksFencedTesting

/// A store that learns a number before anything is read under it, and refuses a number lower than one that it has learned.
actor BankStore {
  struct TooLate: Error {}

  private(set) var balances: [String: Int] = [:]
  private var fences: [String: UInt64] = [:]

  func balance(of id: String, fencedBy number: UInt64) throws -> Int {
    try learn(number, of: id)
    return balances[id] ?? 0
  }

  func save(_ balance: Int, of id: String, fencedBy number: UInt64) throws {
    try learn(number, of: id)
    balances[id] = balance
  }

  private func learn(_ number: UInt64, of id: String) throws {
    if number < fences[id] ?? 0 { throw TooLate() }
    fences[id] = number
  }
}

/// A lock service, whose leases carry a revision.
final class LeaseService: Sendable {
  struct Lease: Sendable {
    let name: String
    let revision: UInt64
    let isHeld: @Sendable () -> Bool

    func check() throws { if !isHeld() { throw AccessError.lost(number: revision, reason: "the lease has expired") } }
  }

  private struct State: Sendable {
    var revision: UInt64 = 0
    var holders: [String: UInt64] = [:]
  }

  private let state = Lock(State())

  func acquire(_ name: String) async throws -> Lease {
    while true {
      let revision = state.withLock { state -> UInt64? in
        guard state.holders[name] == nil else { return nil }
        state.revision += 1
        state.holders[name] = state.revision
        return state.revision
      }
      if let revision {
        return Lease(name: name, revision: revision) { self.state.withLock { $0.holders[name] == revision } }
      }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// A task that is cancelled sends nothing.
  func release(_ lease: Lease) async {
    if Task.isCancelled { return }
    state.withLock { if $0.holders[lease.name] == lease.revision { $0.holders[lease.name] = nil } }
  }

  func revoke(_ name: String) async { state.withLock { $0.holders[name] = nil } }
}

struct Leases: ExclusiveAccess {
  let service: LeaseService

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    // Waits; throws if it is cancelled.
    let lease = try await service.acquire("account-\(key)")
    let result: Result<Void, any Error>
    do {
      // The fence is lost when the turn has ended.
      try await Fence.lend(number: lease.revision, check: { try lease.check() }, to: turn)
      result = .success(())
    } catch { result = .failure(error) }
    // In a task of its own: this one may be cancelled, and then nothing would be sent.
    await Task { await service.release(lease) }.value
    try result.get()
  }
}

enum BeyondUse {
  static func fenced(_ path: String, _ store: BankStore, _ id: String) async throws {
    let amount = 10
    let accounts = FencedSerialTaskExecutor<String>(
      name: "accounts", access: try LockFolder(path))

    try await accounts.enqueue(for: id) { fence in  // one at a time in this process, in order
      // and one process at a time, mostly. The store learns the number before it reads,
      // and refuses a lower one from then on.
      let balance = try await store.balance(of: id, fencedBy: fence.number)
      try await store.save(balance + amount, of: id, fencedBy: fence.number)
    }
    try await accounts.drain()
  }

  static func conforms(_ service: LeaseService) async throws {
    let newKey: @Sendable () -> String = { "test-\(UInt64.random(in: 0...(.max)))" }
    var conformance = AccessConformance(access: { Leases(service: service) }, key: newKey)
    conformance.expireHolder = { key in await service.revoke("account-\(key)") }
    try await conformance.check()  // throws AccessPromisesBroken, which names each
  }
}

enum OfFencedSerialTaskExecutor {
  static func open() throws {
    let accounts = FencedSerialTaskExecutor<String>(
      name: "accounts", access: try LockFolder("/var/lib/bank/locks"))
    accounts.close()
  }

  static func deposit(
    _ accounts: FencedSerialTaskExecutor<String>, _ store: BankStore, _ amount: Int, _ id: String
  ) async throws {
    // After the earlier jobs of this process, and alone among all processes.
    try await accounts.enqueue(for: id) { fence in
      // The store learns the number before it reads, and refuses a lower one from then on.
      let balance = try await store.balance(of: id, fencedBy: fence.number)
      try await store.save(balance + amount, of: id, fencedBy: fence.number)
    }
  }
}
