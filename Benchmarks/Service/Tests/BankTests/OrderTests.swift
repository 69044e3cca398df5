import Bank
import SerialTasksTesting
import Testing

/// The order in which a way takes two accounts.
@Suite struct OrderTests {
  /// Calls with a limit on waiting close no ring, so there is none here.
  ///
  /// Fails if: a way takes two accounts one after the other, in the order in which a transfer names them.
  @Test func transfersBackAndForthTakeAccountsInOneOrder() async throws {
    try await Backend.sqlite.withStore { store, database in
      let ledger = Ledger(store: store, approval: Approval(latency: .zero))
      let accounts = [Schema.name(0), Schema.name(1)]
      var done: [String] = []
      for way in waysInOrder(ledger, Limits(capacity: 100, waiting: nil)) {
        let transfers = (0..<20).map { number in
          Transfer(
            id: "\(type(of: way)) \(number)", from: accounts[number % 2], to: accounts[1 - number % 2], amount: 10)
        }
        let found = await potentialDeadlocks {
          await withTaskGroup { group in
            for transfer in transfers {
              group.addTask { await #expect(throws: Never.self) { try await way.transfer(transfer) } }
              group.addTask { await #expect(throws: Never.self) { try await way.account(transfer.from, from: nil) } }
            }
          }
        }
        #expect(found.isEmpty, "\(type(of: way))")
        done += transfers.map(\.id.text)
      }
      let audit = try await Audit(database, acknowledged: done)
      #expect(audit.isRight, "\(audit)")
    }
  }
}
