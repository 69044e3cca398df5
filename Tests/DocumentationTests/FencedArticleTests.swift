import Foundation
import SerialTasksFenced
import Testing

/// The article on what lies beyond one process, run.
@Suite(.watched, .oneOrder) struct FencedArticleTests {
  let store = BankStore()

  /// Fails if: the store of the article learns a number only with the write, and loses an update.
  @Test func aLateWriteBetweenAReadAndItsWrite() async throws {
    func read(under number: UInt64) async throws -> Int {
      try await store.transaction { db in
        try db.learn(number, of: "ann")
        return try db.balance(of: "ann")
      }
    }
    func save(_ balance: Int, under number: UInt64) async throws {
      try await store.transaction { db in
        try db.learn(number, of: "ann")
        try db.save(balance, of: "ann")
      }
    }
    let (late, balance) = (try await read(under: 1), try await read(under: 2))
    await #expect(throws: TooLate(key: "ann")) { try await save(late + 5, under: 1) }
    await #expect(throws: TooLate(key: "ann")) { _ = try await read(under: 1) }
    try await save(balance + 10, under: 2)
    #expect(await store.balances == ["ann": 10])
  }

  @Test func aDepositUnderALease() async throws {
    let accounts = FencedSerialTaskExecutor(name: "accounts", access: Leases(service: LeaseService()))
    for _ in 1...3 { try await OfFencedSerialTaskExecutor.deposit(accounts, store, 5, "bob") }
    #expect(await store.balances == ["bob": 15])
  }

  #if !os(Windows) && !os(WASI)
    private func path() -> String { NSTemporaryDirectory() + "serial-tasks-article-\(UInt64.random(in: 0...(.max)))" }

    @Test func aDepositIsFenced() async throws {
      let path = path()
      defer { try? FileManager.default.removeItem(atPath: path) }
      for _ in 1...3 { try await BeyondUse.fenced(path, store, "ann") }
      #expect(await store.balances == ["ann": 30])
      await #expect(throws: TooLate(key: "ann")) { try await store.transaction { try $0.learn(1, of: "ann") } }
    }

    /// Fails if: a tool works beside a run of it that is late, or never again.
    @Test func aToolThatMustNotRunTwice() async throws {
      let path = path()
      defer { try? FileManager.default.removeItem(atPath: path) }
      let gate = Gate()
      let runs = Log()
      // Where much else runs, a second may be too short for a key that is free.
      let late = Task { repeat { try await BeyondUse.nightly(path) { await gate.pass() } } while gate.arrivals == 0 }
      await gate.waitForArrivals()
      try await BeyondUse.nightly(path) { runs("beside another") }
      gate.open()
      try await late.value
      repeat { try await BeyondUse.nightly(path) { runs("alone") } } while runs.entries.isEmpty
      #expect(runs.entries == ["alone"])
    }

    /// Two executors stand for two processes: a file that is locked by one is locked for the other.
    ///
    /// Fails if: one overwrites what the other has written since it read the file.
    @Test func aFileThatSeveralProcessesChange() async throws {
      let path = path()
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: path) }
      let file = URL(filePath: path + "/entries.json")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for process in 1...2 {
          let files = FencedSerialTaskExecutor<String>(name: "files", access: try LockFolder(path + "/locks"))
          let entries = BeyondUse.Entries(file: file, files: files)
          for number in 1...20 { group.addTask { try await entries.add("\(process) \(number)") } }
        }
        try await group.waitForAll()
      }
      let entries = try JSONDecoder().decode([String].self, from: Data(contentsOf: file))
      #expect(Set(entries).count == 40 && entries.count == 40)
    }

    /// Fails if: a transfer has no fence for one of its accounts, or what is kept is not given back before a suspension.
    @Test func aTransferUnderAccessThatIsKept() async throws {
      let path = path()
      defer { try? FileManager.default.removeItem(atPath: path) }
      let accounts = FencedSerialTaskExecutor<String>(
        name: "accounts", access: try LockFolder(path), keepsAccessFor: .milliseconds(200))
      for _ in 1...2 {
        try await BeyondUse.transfer(accounts, store, "bob", "ann", 5)
        try await OfFencedSerialTaskExecutor.move(accounts, store, "bob", "ann", 1)
        try await accounts.pauseAndWait()
        accounts.resume()
      }
      #expect(await store.balances == ["ann": 12, "bob": -12])
      try await accounts.drain()
    }
  #endif
}

/// The engine of the article, against the suite for any engine.
///
/// In a process of its own: beside hundreds of other tests, a request may wait for a thread longer than the suite has patience. Not
/// watched, because it waits for that process.
@Suite struct LeaseConformanceTests {
  /// Fails if: the engine releases nothing when its task was cancelled, or lends fences that outlive their turns.
  @Test func leasesConform() async {
    await #expect(processExitsWith: .success) { try await BeyondUse.conforms(LeaseService()) }
  }
}
