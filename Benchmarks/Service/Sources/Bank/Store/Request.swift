/// A write, by the name that its client has given it: the idempotency key.
///
/// A client that was told 503, or got no answer, asks again under the same name. What was done is not done twice, however often
/// and wherever it is asked for; a name that stands for something else is refused.
struct Request: Sendable {
  let id: Name
  let content: String

  init(_ transfer: Transfer) {
    self.init(transfer.id, "transfer", [transfer.from.text, transfer.to.text, "\(transfer.amount)"])
  }

  init(_ change: NoteChange) {
    self.init(change.id, "\(change.kind)", [change.account.text, change.note.id.text, change.note.text])
  }

  /// Each part with its length before it: clients choose what is in the parts, and two requests are never written alike.
  private init(_ id: Name, _ kind: String, _ parts: [String]) {
    self.id = id
    content = kind + parts.map { " \($0.utf8.count):\($0)" }.joined()
  }

  /// Returns whether it was done, from what is noted under its name.
  func isDone(_ found: String?) throws -> Bool {
    guard let found else { return false }
    if Name(found) != Name(content) { throw BankError.otherRequest(id) }
    return true
  }

  /// Notes that it is done, in the transaction that does it; returns whether it was not done before.
  func begins(_ transaction: any SQLTransaction) async throws -> Bool {
    let new = try await transaction.rows(
      "INSERT INTO request (id, content) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id", [id.text, content])
    if !new.isEmpty { return true }
    return try !isDone(try await transaction.rows("SELECT content FROM request WHERE id = $1", [id.text]).first?[0])
  }
}
