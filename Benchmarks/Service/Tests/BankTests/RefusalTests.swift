import Bank
import SerialTasks
import SerialTasksFenced
import SerialTasksTesting
import Serving
import Testing

/// What a client is told: “try again” only if nothing was done.
@Suite struct RefusalTests {
  /// The executor's own rejection, and one of something inside a job that has begun.
  ///
  /// Fails if: a rejection that passed through a job is answered as if the job had not begun.
  @Test(arguments: [JobRejection.cancelled, .withdrawn, .full(capacity: 8), .keyFull(capacity: 8), .late, .closed])
  func onlyAJobThatHasNotBegunMayBeTriedAgain(_ why: JobRejection) {
    guard case .tryAgain = Refusal(BankError.notBegun(why)) else {
      Issue.record("nothing was done, and the client is told \(Refusal(BankError.notBegun(why)))")
      return
    }
    guard case .own = Refusal(why) else {
      Issue.record("the job had begun, and the client is told \(Refusal(why))")
      return
    }
  }

  /// Fails if: work that was cancelled after it had begun is answered as if it may be tried again.
  @Test func workThatWasCancelledIsNotTriedAgain() {
    guard case .cancelled = Refusal(CancellationError()) else {
      Issue.record("the client is told \(Refusal(CancellationError()))")
      return
    }
  }

  /// Fails if: a way to keep the order does not say which rejection is its own.
  @Test func eachWayTellsItsOwnRejection() async throws {
    try await Backend.sqlite.withStore { store, _ in
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      let transfer = Transfer(id: "a", from: Schema.name(0), to: Schema.name(1), amount: 1)
      let change = NoteChange(id: "b", account: Schema.name(0), kind: .add, note: Note(id: "note", text: ""))
      for way in waysInOrder(ledger, Limits(capacity: 8, waiting: .seconds(10))) {
        for part in way.parts { part.close() }
        await #expect(throws: BankError.notBegun(.closed)) { try await way.transfer(transfer) }
        await #expect(throws: BankError.notBegun(.closed)) { try await way.change(change) }
        await #expect(throws: BankError.notBegun(.closed)) { _ = try await way.account(Schema.name(0), from: nil) }
      }
    }
  }

  /// One request for each account, and an engine that does not answer.
  ///
  /// Fails if: a replica counts what waits of each account, and so not a flood over all of them.
  @Test func aFloodOverManyAccountsIsBounded() async throws {
    try await Backend.sqlite.withStore { store, _ in
      let (ledger, silent) = (Ledger(store: store, approval: Approval(latency: .zero)), Silent())
      let accounts = FencedAccounts(ledger, Limits(capacity: 1, waiting: nil), access: silent)
      @Sendable func change(_ account: Int) async throws {
        let note = Note(id: "note \(account)", text: "")
        try await accounts.change(
          NoteChange(id: "change \(account)", account: Schema.name(account), kind: .add, note: note))
      }
      try await withThrowingTaskGroup { group in
        group.addTask { try await change(0) }
        await silent.gate.waitForArrivals()
        await #expect(throws: BankError.notBegun(.full(capacity: 1))) { try await change(1) }
        silent.gate.open()
        try await group.waitForAll()
      }
      try await change(1)
    }
  }

  /// What the store has seen, and what the engine can have granted.
  ///
  /// Fails if: a cluster whose numbers have begun again is taken for a late write, or a late write for that.
  @Test(arguments: [(UInt64(4), true), (5, false), (7, false)])
  func numbersThatBeginAgainAreNoLateWrite(_ newest: UInt64, _ haveBegunAgain: Bool) async throws {
    try await Backend.sqlite.withStore { store, _ in
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      let transfer = Transfer(id: "a", from: Schema.name(0), to: Schema.name(1), amount: 1)
      _ = try await store.balances(of: transfer, under: [Schema.name(0): 5, Schema.name(1): 5])
      let accounts = FencedAccounts(
        ledger, Limits(capacity: 8, waiting: nil), access: Free(), newestNumber: { _ in newest })
      let expected =
        haveBegunAgain
        ? BankError.numbersBeganAgain(seen: 5, newest: newest) : .fencedOff(Schema.name(0), fence: 1, seen: 5)
      await #expect(throws: expected) { try await accounts.transfer(transfer) }
    }
  }
}

/// Grants nothing until its gate is open.
private struct Silent: ExclusiveAccess {
  let gate = Gate()

  nonisolated(nonsending) func withAccess(
    to key: Name, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    await gate.pass()
    try await turn(Fence(number: 1) {})
  }
}
