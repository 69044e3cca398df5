import Bank
import GRDB
import Synchronization
import Testing

/// What the database refuses, whichever replica comes when, and whichever database it is.
@Suite struct StoreTests {
  private func transfer(_ id: Name, _ amount: Int = 7_000) -> Transfer {
    Transfer(id: id, from: Schema.name(0), to: Schema.name(1), amount: amount)
  }

  private func fences(_ number: UInt64) -> [Name: UInt64] { [Schema.name(0): number, Schema.name(1): number] }

  /// A replica is paused after it has read, and goes on after the next holder has read.
  ///
  ///     late    reads under 1 …                                writes under 1
  ///     next                     reads under 2 …                                writes under 2
  ///
  /// Fails if: reading registers no fence, so that both writes are accepted, and one of them is lost.
  @Test(arguments: Backend.present) func aLateWriteBetweenReadingAndWritingIsRefused(_ backend: Backend) async throws {
    try await backend.withStore { store, database in
      let (late, next) = (transfer("late"), transfer("next"))
      let stale = try #require(try await store.balances(of: late, under: fences(1)))
      let newest = try #require(try await store.balances(of: next, under: fences(2)))
      await #expect(throws: BankError.fencedOff(Schema.name(0), fence: 1, seen: 2)) {
        try await store.save(late, leaving: late.applied(to: stale), if: .fences(fences(1)))
      }
      try await store.save(next, leaving: next.applied(to: newest), if: .fences(fences(2)))
      let audit = try await Audit(database, acknowledged: ["next"], refused: ["late"])
      #expect(audit.isRight, "\(audit)")
    }
  }

  /// Between two statements of a transaction, a database may let another one write.
  ///
  /// Fails if: balances are read before both fences are registered, so that the late write between the two is accepted.
  @Test func fencesAreRegisteredBeforeAnythingIsRead() async throws {
    try await Backend.sqlite.withStore { _, database in
      let recorded = RecordedDatabase(database)
      let store = try await Store(recorded, accounts: 2)
      recorded.statements.withLock { $0 = [] }
      _ = try await store.balances(of: transfer("a"), under: fences(1))
      #expect(recorded.statements.withLock { $0 }.map { $0.prefix(6) } == ["UPDATE", "UPDATE", "SELECT"])
    }
  }

  /// Fails if: a transaction whose task is cancelled stays open, or a part of it stays.
  @Test(arguments: Backend.present) func aCancelledTransactionIsUndone(_ backend: Backend) async throws {
    try await backend.withStore { store, database in
      let cancelled = Task {
        try await database.transaction { transaction in
          try await transaction.rows("UPDATE account SET balance = 0", [])
          withUnsafeCurrentTask { $0?.cancel() }
          try Task.checkCancellation()
        }
      }
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      try await store.transfer(transfer("next")) {}
      #expect(try await store.account(Schema.name(0)).balance == Schema.openingBalance - 7_000)
    }
  }

  /// A replica that is paused before it reads.
  ///
  /// Fails if: it is let read, and makes the store forget the higher fence.
  @Test(arguments: Backend.present) func aLateReaderIsRefused(_ backend: Backend) async throws {
    try await backend.withStore { store, _ in
      _ = try await store.balances(of: transfer("next"), under: fences(2))
      await #expect(throws: BankError.fencedOff(Schema.name(0), fence: 1, seen: 2)) {
        try await store.balances(of: transfer("late"), under: fences(1))
      }
    }
  }

  /// Fails if: a transfer does not read under the fences that it writes under.
  @Test(arguments: Backend.present) func aTransferReadsUnderItsFences(_ backend: Backend) async throws {
    try await backend.withStore { store, _ in
      let late = transfer("late")
      let stale = try #require(try await store.balances(of: late, under: fences(1)))
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      // It reads, and writes nothing.
      await #expect(throws: BankError.insufficient(Schema.name(0))) {
        try await ledger.transfer(transfer("too much", 70_000), fences: fences(2))
      }
      await #expect(throws: BankError.fencedOff(Schema.name(0), fence: 1, seen: 2)) {
        try await store.save(late, leaving: late.applied(to: stale), if: .fences(fences(1)))
      }
    }
  }

  /// Fails if: the late change of a note is accepted, or leaves a part of it.
  @Test(arguments: Backend.present) func aLateChangeIsRefused(_ backend: Backend) async throws {
    try await backend.withStore { store, _ in
      let note = Note(id: "note", text: "one")
      let change = NoteChange(id: "late", account: Schema.name(0), kind: .add, note: note)
      _ = try await store.balances(of: transfer("next"), under: fences(2))
      await #expect(throws: BankError.fencedOff(Schema.name(0), fence: 1, seen: 2)) {
        try await store.change(change, fence: 1)
      }
      try await store.change(change, fence: 2)
      #expect(try await store.account(Schema.name(0)).notes == [note])
    }
  }

  /// Fails if: an account that does not exist is taken for one that has seen a higher fence.
  @Test(arguments: Backend.present) func aMissingAccountIsNotALateWrite(_ backend: Backend) async throws {
    try await backend.withStore { store, _ in
      let change = NoteChange(id: "a", account: "nobody", kind: .add, note: Note(id: "note", text: ""))
      for fence: UInt64 in [0, 7] {
        await #expect(throws: BankError.missing("nobody")) { try await store.change(change, fence: fence) }
      }
    }
  }

  /// A replica that waits for the lock starts, however long that takes.
  ///
  /// Nothing can tell when it has met the lock, so that is held for a while: long enough to see one that does not wait.
  ///
  /// Fails if: any connection of a replica that starts does not wait for another that writes.
  @Test func aReplicaStartsWhileAnotherWrites() async throws {
    try await withSQLite { path in
      let store = try await Store(try SQLite(path: path), accounts: 2)
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: path, configuration: configuration)
      try await other.writeWithoutTransaction { db in
        try db.beginTransaction(.immediate)
        try db.execute(sql: "UPDATE account SET balance = balance")
      }
      let starting = Task.detached { try await Store(try SQLite(path: path), accounts: 2).close() }
      try await Task.sleep(for: .milliseconds(200))
      try await other.writeWithoutTransaction { try $0.commit() }
      try await starting.value
      try other.close()
      try await store.close()
    }
  }

  /// A client that was told 503, or got no answer, asks again.
  ///
  /// Fails if: what was done is done twice, or a name may stand for two requests.
  @Test(arguments: Backend.present) func aRequestIsDoneOnce(_ backend: Backend) async throws {
    try await backend.withStore { store, database in
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      let change = NoteChange(id: "b", account: Schema.name(0), kind: .add, note: Note(id: "note", text: ""))
      for _ in 1...3 {
        try await ledger.transfer(transfer("c", 10))
        try await store.transfer(transfer("d", 20)) {}
      }
      for fence: UInt64 in 1...3 {
        try await ledger.transfer(transfer("a"), fences: fences(fence))
        try await store.change(change, fence: fence)
      }
      await #expect(throws: BankError.otherRequest("a")) { try await ledger.transfer(transfer("a", 1)) }
      await #expect(throws: BankError.otherRequest("b")) { try await store.transfer(transfer("b", 1)) {} }
      let otherText = NoteChange(id: "b", account: Schema.name(0), kind: .add, note: Note(id: "note", text: "other"))
      await #expect(throws: BankError.otherRequest("b")) { try await store.change(otherText, fence: 3) }
      let audit = try await Audit(database, acknowledged: ["a", "b", "c", "d"])
      #expect(audit.isRight, "\(audit)")
      #expect(try await store.account(Schema.name(0)).balance == Schema.openingBalance - 7_030)
    }
  }

  /// Two transfers that read the same balances.
  ///
  /// Fails if: an account that was written since it was read is written from what was read.
  @Test(arguments: Backend.present) func aChangedAccountIsNotWritten(_ backend: Backend) async throws {
    try await backend.withStore { store, _ in
      let (one, other) = (transfer("one", 10), transfer("other", 20))
      let read = try #require(try await store.balances(of: one))
      try await store.save(one, leaving: one.applied(to: read), if: .unchanged(read))
      await #expect(throws: BankError.changed(Schema.name(0))) {
        try await store.save(other, leaving: other.applied(to: read), if: .unchanged(read))
      }
    }
  }

  /// Many transfers of two accounts, approved inside of their transactions or approved again.
  ///
  /// Fails if: two of them read the same balances, or wait for each other for ever.
  @Test(arguments: Backend.present, [DatabaseAccounts.Way.approvedInside, .optimistic, .approvedBefore])
  func theDatabaseAloneKeepsBalances(_ backend: Backend, _ way: DatabaseAccounts.Way) async throws {
    try await backend.withStore { store, database in
      let accounts = DatabaseAccounts(Ledger(store: store, approval: Approval(latency: .milliseconds(1))), way)
      let names = [Schema.name(0), Schema.name(1)]
      try await withThrowingTaskGroup { group in
        for number in 0..<20 {
          let transfer = Transfer(id: "\(number)", from: names[number % 2], to: names[1 - number % 2], amount: 10)
          group.addTask { try await accounts.transfer(transfer) }
        }
        try await group.waitForAll()
      }
      let audit = try await Audit(database, acknowledged: (0..<20).map(String.init))
      #expect(audit.isRight, "\(audit)")
    }
  }
}

/// A database, and the statements that its transactions have sent.
private final class RecordedDatabase: SQLDatabase {
  private struct Transaction: SQLTransaction {
    let transaction: any SQLTransaction
    let database: RecordedDatabase

    func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
      database.statements.withLock { $0.append(statement) }
      return try await transaction.rows(statement, parameters)
    }
  }

  private let database: any SQLDatabase
  let statements = Mutex<[String]>([])

  init(_ database: any SQLDatabase) { self.database = database }

  var busy: Int { database.busy }
  var rowLock: String { database.rowLock }
  func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]] {
    try await database.rows(statement, parameters)
  }
  func transaction<Value: Sendable>(
    _ body: @Sendable (any SQLTransaction) async throws -> Value
  ) async throws -> Value {
    try await database.transaction { try await body(Transaction(transaction: $0, database: self)) }
  }
  func close() async throws { try await database.close() }
}
