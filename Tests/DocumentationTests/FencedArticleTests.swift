import Foundation
import SerialTasksFenced
import Testing

/// The article on what lies beyond one process, run.
@Suite(.watched) struct FencedArticleTests {
  let store = BankStore()

  @Test func aDepositIsFenced() async throws {
    let path = NSTemporaryDirectory() + "serial-tasks-article-\(UInt64.random(in: 0...(.max)))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for _ in 1...3 { try await BeyondUse.fenced(path, store, "ann") }
    #expect(await store.balances == ["ann": 30])
    await #expect(throws: BankStore.TooLate.self) { try await store.save(0, of: "ann", fencedBy: 1) }
  }

  @Test func leasesConform() async throws { try await BeyondUse.conforms(LeaseService()) }

  @Test func aDepositUnderALease() async throws {
    let accounts = FencedSerialTaskExecutor(name: "accounts", access: Leases(service: LeaseService()))
    for _ in 1...3 { try await OfFencedSerialTaskExecutor.deposit(accounts, store, 5, "bob") }
    #expect(await store.balances == ["bob": 15])
  }
}
