import GRDB

/// A change of one account, written in the transaction that made it.
package struct Entry: Sendable {
  package static let transfer = "transfer"

  package var request: String
  package var account: String
  package var kind: String
  package var amount: Int
  /// After the change, as the one that made it saw it.
  package var balance: Int
  package var fence: UInt64
  package var note: Note?
}

/// Everything that was done, in the order in which it was done.
package enum Journal {
  static func append(_ entry: Entry, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO journal (request, account, kind, amount, balance, fence, note, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        entry.request, entry.account, entry.kind, entry.amount, entry.balance, Int64(entry.fence), entry.note?.id,
        entry.note?.text,
      ])
  }

  static func entries(_ db: Database) throws -> [Entry] {
    try Row.fetchAll(db, sql: "SELECT * FROM journal ORDER BY place").map { row in
      let note: String? = row["note"]
      let fence: Int64 = row["fence"]
      return Entry(
        request: row["request"], account: row["account"], kind: row["kind"], amount: row["amount"],
        balance: row["balance"], fence: UInt64(fence), note: note.map { Note(id: $0, text: row["text"]) })
    }
  }
}
