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

  /// Fails if: the store of the article learns a number only with the write, and loses an update.
  @Test func aLateWriteBetweenAReadAndItsWrite() async throws {
    let late = try await store.balance(of: "ann", fencedBy: 1)
    let balance = try await store.balance(of: "ann", fencedBy: 2)
    await #expect(throws: BankStore.TooLate.self) { try await store.save(late + 5, of: "ann", fencedBy: 1) }
    try await store.save(balance + 10, of: "ann", fencedBy: 2)
    #expect(await store.balances == ["ann": 10])
  }

  /// Fails if: the engine of the article releases nothing when its task was cancelled, or lends fences that outlive their turns.
  @Test func leasesConform() async throws { try await BeyondUse.conforms(LeaseService()) }

  @Test func aDepositUnderALease() async throws {
    let accounts = FencedSerialTaskExecutor(name: "accounts", access: Leases(service: LeaseService()))
    for _ in 1...3 { try await OfFencedSerialTaskExecutor.deposit(accounts, store, 5, "bob") }
    #expect(await store.balances == ["bob": 15])
  }
}
