/// A change of one account, written in the transaction that made it.
package struct Entry: Sendable {
  package static let transfer = "transfer"

  /// The order among the changes of the account.
  package var place: Int
  package var request: String
  package var account: Name
  package var kind: String
  package var amount: Int
  /// After a transfer, as the one that made it saw it.
  package var balance: Int
  package var fence: UInt64
  package var note: Note?
}

/// Everything that was done, in the order in which it was done to each account.
enum Journal {
  static func append(_ entry: Entry, _ transaction: any SQLTransaction) async throws {
    try await transaction.rows(
      """
      INSERT INTO journal (place, request, account, kind, amount, balance, fence, note, text)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      """,
      [
        "\(entry.place)", entry.request, entry.account.text, entry.kind, "\(entry.amount)", "\(entry.balance)",
        "\(entry.fence)", entry.note?.id.text, entry.note?.text,
      ])
  }

  static func entries(_ database: any SQLDatabase) async throws -> [Entry] {
    try await database.rows(
      """
      SELECT place, request, account, kind, amount, balance, fence, note, text FROM journal ORDER BY account, place
      """, []
    ).map { row in
      Entry(
        place: Int(row[0]!)!, request: row[1]!, account: Name(row[2]!), kind: row[3]!, amount: Int(row[4]!)!,
        balance: Int(row[5]!)!, fence: UInt64(row[6]!)!, note: row[7].map { Note(id: Name($0), text: row[8]!) })
    }
  }
}
