import Bank
import Foundation

/// What one client does, again and again: mostly reads of accounts that everybody reads, notes of its own, and transfers.
struct Mix: Sendable {
  let accounts: Int
  /// Of a hundred requests, how many are dropped before they are answered.
  var hangUps = 4
  /// Of a hundred requests, how many are reads.
  var reads = 60
  /// And how many change notes; the rest are transfers.
  var notes = 10
  /// Nothing but writes of one account each.
  var isOnlyWrites = false
  /// Whether all writes of an account are asked for at the same server; of only writes.
  var isSticky = false

  /// A few accounts are asked for more often than all others.
  func account() -> Name {
    let hot = min(3, accounts)
    return Schema.name(Int.random(in: 0..<10) < 8 ? .random(in: 0..<hot) : .random(in: 0..<accounts))
  }

  private func twoAccounts() -> (Name, Name) {
    let one = account()
    var other = account()
    while other == one { other = Schema.name(.random(in: 0..<accounts)) }
    return (one, other)
  }

  /// One thing that a client does.
  func step(_ client: BankClient) async {
    if isOnlyWrites {
      let number = Int.random(in: 0..<accounts)
      let account = Schema.name(number)
      let client = isSticky ? client.beginning(at: number) : client
      _ = await client.change("POST", note: UUID().uuidString, of: account, to: "")
      return
    }
    switch Int.random(in: 0..<100) {
    case ..<hangUps: await hangUp(client)
    case ..<(hangUps + reads):
      _ = await client.get(Int.random(in: 0..<20) == 0 ? "/accounts" : "/accounts/\(account())")
    case ..<(hangUps + reads + notes): await keepNote(client)
    default:
      let (from, to) = twoAccounts()
      _ = await client.transfer(from, to, .random(in: 1...20))
    }
  }

  /// A client that leaves, whatever it has asked for.
  private func hangUp(_ client: BankClient) async {
    let (from, to) = twoAccounts()
    let isRead = Bool.random()
    let asking = Task {
      if isRead { _ = await client.get("/accounts/\(from)") } else { _ = await client.transfer(from, to, 1) }
    }
    try? await Task.sleep(for: .milliseconds(.random(in: 0...20)))
    asking.cancel()
    await asking.value
  }

  /// A note's life; after each change, the client reads what it has written, at the server that has acknowledged it.
  private func keepNote(_ client: BankClient) async {
    let (account, note) = (account(), UUID().uuidString)
    guard let client = await client.change("POST", note: note, of: account, to: "one") else { return }
    await expect("one", note, account, client)
    guard let client = await client.change("PUT", note: note, of: account, to: "two") else { return }
    await expect("two", note, account, client)
    guard let client = await client.change("DELETE", note: note, of: account, to: "") else { return }
    await expect(nil, note, account, client)
  }

  private func expect(_ text: String?, _ note: String, _ account: Name, _ client: BankClient) async {
    guard let answer = await client.get("/accounts/\(account)?from=\(note)"), answer.status == 200 else { return }
    let found = try? JSONDecoder().decode(Account.self, from: answer.body)
    if found?.notes.first(where: { $0.id.text == note })?.text != text { client.tally.note { $0.stale += 1 } }
  }
}
