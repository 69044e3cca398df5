// The blocks of the article on what lies beyond one process, and of the doc comments of SerialTasksFenced.
import Foundation
import SerialTasksFenced
import SerialTasksFencedTesting
import Synchronization

struct TooLate: Error, Equatable { let key: String }

/// A transaction of a database that understands one statement.
final class Transaction {
  fileprivate(set) var balances: [String: Int]
  fileprivate var fences: [String: Int64]
  private(set) var changes = 0

  fileprivate init(_ balances: [String: Int], _ fences: [String: Int64]) {
    (self.balances, self.fences) = (balances, fences)
  }

  func execute(_ sql: String, _ key: String, _ number: Int64) throws {
    precondition(sql.hasPrefix("INSERT INTO fences") && sql.hasSuffix("WHERE fences.number <= excluded.number"))
    let isHigh = number >= fences[key] ?? number
    if isHigh { fences[key] = number }
    changes = isHigh ? 1 : 0
  }

  func balance(of id: String) throws -> Int { balances[id] ?? 0 }
  func save(_ balance: Int, of id: String) throws { balances[id] = balance }
}

extension Transaction {
  /// Learns the number of a fence: the first thing in each transaction of a job.
  func learn(_ number: UInt64, of key: String) throws {
    try execute(
      """
      INSERT INTO fences (key, number) VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET number = excluded.number
      WHERE fences.number <= excluded.number
      """, key, Int64(number))
    if changes == 0 { throw TooLate(key: key) }
  }
}

/// A database, which keeps what a transaction has changed if that does not throw.
actor BankStore {
  private(set) var balances: [String: Int] = [:]
  private var fences: [String: Int64] = [:]

  func transaction<Result: Sendable>(_ body: @Sendable (Transaction) throws -> Result) throws -> Result {
    let transaction = Transaction(balances, fences)
    let result = try body(transaction)
    (balances, fences) = (transaction.balances, transaction.fences)
    return result
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
    var waiting: [String: [AsyncStream<UInt64>.Continuation]] = [:]
    var callers: [String: Int] = [:]

    mutating func end(_ name: String) {
      holders[name] = nil
      hand(name)
    }

    mutating func hand(_ name: String) {
      while holders[name] == nil, let next = waiting[name]?.first {
        waiting[name]!.removeFirst()
        // A caller that was cancelled takes nothing.
        guard case .enqueued = next.yield(revision + 1) else { continue }
        revision += 1
        holders[name] = revision
      }
    }
  }

  private let state = Mutex(State())

  func acquire(_ name: String) async throws -> Lease {
    let (grants, caller) = AsyncStream<UInt64>.makeStream()
    state.withLock {
      $0.callers[name, default: 0] += 1
      $0.waiting[name, default: []].append(caller)
      $0.hand(name)
    }
    defer { state.withLock { $0.callers[name]! -= 1 } }
    for await revision in grants {
      return Lease(name: name, revision: revision) { self.state.withLock { $0.holders[name] == revision } }
    }
    throw CancellationError()
  }

  /// A task that is cancelled sends nothing.
  func release(_ lease: Lease) async {
    if Task.isCancelled { return }
    state.withLock { if $0.holders[lease.name] == lease.revision { $0.end(lease.name) } }
  }

  func isAwaited(_ name: String) async -> Bool { state.withLock { $0.callers[name] ?? 0 > 0 } }

  func revoke(_ name: String) async { state.withLock { $0.end(name) } }
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

  nonisolated(nonsending) func waitUntilAnotherAsks(
    for key: String, under fence: Fence
  ) async throws {
    // An engine with a watch waits for that; one without looks now and then.
    while await !service.isAwaited("account-\(key)") {
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}

enum BeyondUse {
  #if !os(Windows) && !os(WASI)
    static func fenced(
      _ path: String, _ store: BankStore, _ id: String, approve: (Int, Int) async throws -> Void = { _, _ in }
    ) async throws {
      let amount = 10
      let accounts = FencedSerialTaskExecutor<String>(
        name: "accounts", access: try LockFolder(path))

      try await accounts.enqueue(for: id) { fence in  // one at a time in this process, in order
        let balance = try await store.transaction { db in  // and among all processes
          try db.learn(fence.number, of: id)
          return try db.balance(of: id)
        }
        try await approve(amount, balance)  // asks another service; no transaction is open
        try await store.transaction { db in
          try db.learn(fence.number, of: id)
          try db.save(balance + amount, of: id)
        }
      }
      try await accounts.drain()
    }

    struct Entries: Sendable {
      let file: URL
      let files: FencedSerialTaskExecutor<String>  // made with LockFolder(path)

      func add(_ entry: String) async throws {
        try await files.enqueue(for: file.path) { _ in
          let isThere = FileManager.default.fileExists(atPath: file.path)
          let old = isThere ? try Data(contentsOf: file) : Data("[]".utf8)
          let entries = try JSONDecoder().decode([String].self, from: old) + [entry]
          try JSONEncoder().encode(entries).write(to: file, options: .atomic)  // renames it
        }
      }
    }

    static func nightly(_ path: String, _ archive: () async throws -> Void) async throws {
      let runs = FencedSerialTaskExecutor<String>(name: "runs", access: try LockFolder(path))
      do {
        try await runs.enqueue(for: "nightly", waitingAtMost: .seconds(1)) { _ in
          try await archive()
        }
      } catch JobRejection.late {
        print("another run is at work")
      }
    }
  #endif

  static func transfer(
    _ accounts: FencedSerialTaskExecutor<String>, _ store: BankStore, _ payer: String, _ payee: String, _ amount: Int
  ) async throws {
    try await accounts.enqueue(touching: [payer, payee]) { fences in
      try await store.transaction { db in
        for (id, fence) in fences { try db.learn(fence.number, of: id) }
        let balances = (try db.balance(of: payer), try db.balance(of: payee))
        try db.save(balances.0 - amount, of: payer)
        try db.save(balances.1 + amount, of: payee)
      }
    }
  }

  static func conforms(_ service: LeaseService) async throws {
    let newKey: @Sendable () -> String = { "test-\(UInt64.random(in: 0...(.max)))" }
    var conformance = AccessConformance(access: { Leases(service: service) }, key: newKey)
    conformance.expireHolder = { key in await service.revoke("account-\(key)") }
    conformance.hearsOthers = true
    try await conformance.check()  // throws AccessConformanceError, which names each
  }
}

enum OfFencedSerialTaskExecutor {
  #if !os(Windows) && !os(WASI)
    static func open() throws {
      let accounts = FencedSerialTaskExecutor<String>(
        name: "accounts", access: try LockFolder("/var/lib/bank/locks"))
      accounts.close()
    }
  #endif

  static func deposit(
    _ accounts: FencedSerialTaskExecutor<String>, _ store: BankStore, _ amount: Int, _ id: String,
    approve: (Int, Int) async throws -> Void = { _, _ in }
  ) async throws {
    // After the earlier jobs of this process, and alone among all processes.
    try await accounts.enqueue(for: id) { fence in
      let balance = try await store.transaction { db in
        // First of all: the store learns the number, and throws if it knows a higher one.
        try db.learn(fence.number, of: id)
        return try db.balance(of: id)
      }
      try await approve(amount, balance)  // asks another service
      try await store.transaction { db in
        try db.learn(fence.number, of: id)
        try db.save(balance + amount, of: id)
      }
    }
  }

  static func move(
    _ accounts: FencedSerialTaskExecutor<String>, _ store: BankStore, _ payer: String, _ payee: String, _ amount: Int
  ) async throws {
    try await accounts.enqueue(touching: [payer, payee]) { fences in
      try await store.move(amount, from: payer, to: payee, under: fences)
    }
  }
}

extension BankStore {
  func move(_ amount: Int, from payer: String, to payee: String, under fences: [String: Fence]) throws {
    try transaction { db in
      for (id, fence) in fences { try db.learn(fence.number, of: id) }
      try db.save(try db.balance(of: payer) - amount, of: payer)
      try db.save(try db.balance(of: payee) + amount, of: payee)
    }
  }
}
