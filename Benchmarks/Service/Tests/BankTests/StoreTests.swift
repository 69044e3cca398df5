import Bank
import GRDB
import Testing

/// What the database refuses, whichever replica comes when.
@Suite struct StoreTests {
  private func transfer(_ id: String, _ amount: Int = 7_000) -> Transfer {
    Transfer(id: id, from: Schema.name(0), to: Schema.name(1), amount: amount)
  }

  private func fences(_ number: UInt64) -> [String: UInt64] { [Schema.name(0): number, Schema.name(1): number] }

  /// A replica is paused after it has read, and goes on after the next holder has read.
  ///
  ///     late    reads under 1 …                                writes under 1
  ///     next                     reads under 2 …                                writes under 2
  ///
  /// Fails if: reading registers no fence, so that both writes are accepted, and one of them is lost.
  @Test func aLateWriteBetweenReadingAndWritingIsRefused() async throws {
    try await withStore { store, path in
      let (late, next) = (transfer("late"), transfer("next"))
      let stale = try await store.balances(of: late, under: fences(1))
      let newest = try await store.balances(of: next, under: fences(2))
      await #expect(throws: BankError.self) {
        try await store.save(late, leaving: late.applied(to: stale), fences: fences(1))
      }
      try await store.save(next, leaving: next.applied(to: newest), fences: fences(2))
      let audit = try Audit(database: path, acknowledged: ["next"], refused: ["late"])
      #expect(audit.isRight, "\(audit)")
    }
  }

  /// Fails if: a transfer does not read under the fences that it writes under.
  @Test func aTransferReadsUnderItsFences() async throws {
    try await withStore { store, _ in
      let late = transfer("late")
      let stale = try await store.balances(of: late, under: fences(1))
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      // It reads, and writes nothing.
      await #expect(throws: BankError.insufficient(Schema.name(0))) {
        try await ledger.transfer(transfer("too much", 70_000), fences: fences(2))
      }
      await #expect(throws: BankError.fencedOff(Schema.name(0))) {
        try await store.save(late, leaving: late.applied(to: stale), fences: fences(1))
      }
    }
  }

  /// Fails if: the late change of a note is accepted, or leaves a part of it.
  @Test func aLateChangeIsRefused() async throws {
    try await withStore { store, _ in
      let note = Note(id: "note", text: "one")
      let change = NoteChange(id: "late", account: Schema.name(0), kind: .add, note: note)
      _ = try await store.balances(of: transfer("next"), under: fences(2))
      await #expect(throws: BankError.fencedOff(Schema.name(0))) { try await store.change(change, fence: 1) }
      try await store.change(change, fence: 2)
      #expect(try await store.account(Schema.name(0)).notes == [note])
    }
  }

  /// Fails if: an account that does not exist is taken for one that has seen a higher fence.
  @Test func aMissingAccountIsNotALateWrite() async throws {
    try await withStore { store, _ in
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
    try await withStore { _, path in
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: path, configuration: configuration)
      try await other.writeWithoutTransaction { db in
        try db.beginTransaction(.immediate)
        try db.execute(sql: "UPDATE account SET balance = balance")
      }
      let starting = Task.detached { try Store(path: path, accounts: 2).close() }
      try await Task.sleep(for: .milliseconds(200))
      try await other.writeWithoutTransaction { try $0.commit() }
      try await starting.value
      try other.close()
    }
  }
}
