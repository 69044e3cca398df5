/// A write, by the name that its client has given it: the idempotency key.
///
/// A client that was told 503, or got no answer, asks again under the same name. What was done is not done twice, however often
/// and wherever it is asked for; a name that stands for something else is refused.
struct Request: Sendable {
  let id: String
  let content: String

  init(_ transfer: Transfer) {
    id = transfer.id
    content = "transfer \(transfer.amount) from \(transfer.from) to \(transfer.to)"
  }

  init(_ change: NoteChange) {
    id = change.id
    content = "\(change.kind) \(change.note.id) of \(change.account): \(change.note.text)"
  }

  /// Returns whether it was done, from what is noted under its name.
  func isDone(_ found: String?) throws -> Bool {
    guard let found else { return false }
    if found != content { throw BankError.otherRequest(id) }
    return true
  }

  /// Notes that it is done, in the transaction that does it; returns whether it was not done before.
  func begins(_ transaction: any SQLTransaction) async throws -> Bool {
    let new = try await transaction.rows(
      "INSERT INTO request (id, content) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id", [id, content])
    if !new.isEmpty { return true }
    return try !isDone(try await transaction.rows("SELECT content FROM request WHERE id = $1", [id]).first?[0])
  }
}
