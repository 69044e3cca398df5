// The blocks of the article on what lies beyond one process, and of the doc comments of SerialTasksFenced.
import SerialTasks
import SerialTasksFenced
import SerialTasksFencedTesting

/// A store that refuses a number lower than one it has seen.
actor BankStore {
  struct TooLate: Error {}

  private(set) var balances: [String: Int] = [:]
  private var fences: [String: UInt64] = [:]

  func balance(of id: String) throws -> Int { balances[id] ?? 0 }

  func save(_ balance: Int, of id: String, fencedBy number: UInt64) throws {
    if number < fences[id] ?? 0 { throw TooLate() }
    (balances[id], fences[id]) = (balance, number)
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

  func release(_ lease: Lease) async {
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
    do { try await turn(Fence(number: lease.revision) { try lease.check() }) } catch {
      await service.release(lease)
      throw error
    }
    await service.release(lease)
  }
}

enum BeyondUse {
  static func fenced(_ path: String, _ store: BankStore, _ id: String) async throws {
    let amount = 10
    let accounts = FencedSerialTaskExecutor<String>(
      name: "accounts", access: try LockFolder(path))

    try await accounts.enqueue(for: id) { fence in  // one at a time in this process, in order
      let balance = try await store.balance(of: id)  // and one process at a time, mostly
      // The store refuses a caller that is late.
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
      let balance = try await store.balance(of: id)
      // The store refuses a lower number than it has seen.
      try await store.save(balance + amount, of: id, fencedBy: fence.number)
    }
  }
}
