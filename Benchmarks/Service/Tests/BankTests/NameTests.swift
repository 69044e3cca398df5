import Bank
import SerialTasksTesting
import Testing

/// Names that Swift takes for equal, and that are two.
@Suite struct NameTests {
  /// One é in one character, and in two.
  private static let composed: Name = "Jos\u{e9}"
  private static let decomposed: Name = "Jose\u{301}"

  /// Fails if: names are compared as texts are.
  @Test func namesAreBytes() {
    let (one, other) = (NameTests.composed, NameTests.decomposed)
    #expect(one.text == other.text && one != other && Set([one, other]).count == 2)
    #expect(other < one && !(one < other))
  }

  /// Readers of two accounts, at the same time.
  ///
  /// Fails if: one is answered what was read for the other.
  @Test(arguments: Backend.present) func twoAccountsAreTwo(_ backend: Backend) async throws {
    try await backend.withStore { store, database in
      let names = [NameTests.composed, NameTests.decomposed]
      try await database.transaction { transaction in
        for (name, balance) in zip(names, ["111", "222"]) {
          try await transaction.rows("INSERT INTO account (id, balance) VALUES ($1, $2)", [name.text, balance])
        }
      }
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      for way in waysInOrder(ledger, Limits(capacity: 1_000, waiting: nil)) {
        await withTaskGroup { group in
          for number in 0..<200 {
            group.addTask {
              let (name, balance) = (names[number % 2], [111, 222][number % 2])
              let found = try? await way.account(name, from: nil)
              #expect(found == Account(id: name, balance: balance), "\(type(of: way))")
            }
          }
        }
        // From the one to the other, and back. The audit takes their first balances for wrong.
        for (from, to) in [(0, 1), (1, 0)] {
          let id: Name = "\(type(of: way)) \(from)"
          try await way.transfer(Transfer(id: id, from: names[from], to: names[to], amount: 100))
        }
      }
      #expect(try await Audit(database, acknowledged: []).lostUpdates == 2)
    }
  }

  /// Requests that would be written alike if the names of clients stood between words.
  ///
  /// Fails if: what a client has not asked for yet is answered as done, or texts of other bytes are the same request.
  @Test(arguments: [
    ("a", "account-1", "t of account-0: z", "a of account-1: t", "account-0", "z"),
    ("a", "account-0", "t b", "a t", "account-0", "b"),
    ("a", "account-0", "\u{e9}", "a", "account-0", "e\u{301}"),
    ("a", "account-0", "", "", "account-0", "a"),
  ])
  func aNameStandsForOneRequest(
    _ note: String, _ account: String, _ text: String, _ other: String, _ otherAccount: String, _ otherText: String
  ) async throws {
    try await Backend.sqlite.withStore { store, _ in
      let change = NoteChange(id: "r", account: Name(account), kind: .add, note: Note(id: Name(note), text: text))
      try await store.change(change)
      let second = NoteChange(
        id: "r", account: Name(otherAccount), kind: .add, note: Note(id: Name(other), text: otherText))
      await #expect(throws: BankError.otherRequest("r")) { try await store.change(second) }
      try await store.change(change)
    }
  }
}
