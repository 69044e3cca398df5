import SerialTasks

@_exported import struct Postgres.Name

/// An account, with its notes where those were asked for.
package struct Account: Codable, Hashable, Sendable {
  package var id: Name
  package var balance: Int
  package var notes: [Note]
  /// The note with which the next page of notes begins.
  package var next: Name?

  package init(id: Name, balance: Int, notes: [Note] = [], next: Name? = nil) {
    (self.id, self.balance, self.notes, self.next) = (id, balance, notes, next)
  }
}

/// A page of all accounts, without their notes.
package struct AccountList: Codable, Hashable, Sendable {
  package var accounts: [Account]
  /// The account with which the next page begins.
  package var next: Name?
}

package struct Note: Codable, Hashable, Sendable {
  package var id: Name
  package var text: String

  package init(id: Name, text: String) {
    self.id = id
    self.text = text
  }
}

/// A client gives names to accounts, notes and requests.
extension Name {
  /// In bytes of UTF-8.
  package static let longest = 200

  /// Throws if a name is empty or too long, or has a control or format character: it is logged, where that may begin a line of its
  /// own, or be shown as another name.
  package static func check(_ names: Name...) throws {
    for name in names.map(\.text)
    where name.isEmpty || name.utf8.count > longest || name.unicodeScalars.contains(where: isControl) {
      throw BankError.bad("A name has 1 to \(longest) bytes, and no control or format characters.")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
  }
}

/// Money from one account to another.
package struct Transfer: Codable, Hashable, Sendable {
  /// Made by the client, the idempotency key: asked for again under this name, the transfer is not done twice.
  package var id: Name
  package var from: Name
  package var to: Name
  package var amount: Int

  package init(id: Name, from: Name, to: Name, amount: Int) {
    self.id = id
    self.from = from
    self.to = to
    self.amount = amount
  }
}

extension Transfer: CustomStringConvertible {
  /// What it is, for those who look: which accounts it waits for.
  package var description: String { "transfer \(from) → \(to)" }

  /// Throws if it cannot be done, whatever is in the database.
  package func check() throws {
    try Name.check(id, from, to)
    if from == to { throw BankError.sameAccount }
    if amount < 1 { throw BankError.bad("An amount is 1 or more.") }
  }
}

/// A change of one note.
package struct NoteChange: Hashable, Sendable {
  package enum Kind: String, Codable, Sendable { case add, update, delete }

  /// Made by the client, as that of a transfer.
  package var id: Name
  package var account: Name
  package var kind: Kind
  package var note: Note

  package init(id: Name, account: Name, kind: Kind, note: Note) {
    self.id = id
    self.account = account
    self.kind = kind
    self.note = note
  }
}

extension NoteChange {
  /// Throws if it cannot be done, whatever is in the database.
  package func check() throws {
    try Name.check(id, account, note.id)
    if note.text.utf8.contains(0) { throw BankError.bad("A text has no zero character.") }
  }
}

/// Why the bank does not do what it was asked for.
package enum BankError: Error, Hashable, Sendable {
  case missing(Name)
  /// There is a note of that name already.
  case exists(Name)
  /// The request makes no sense: nothing was begun.
  case bad(String)
  case insufficient(Name)
  case sameAccount
  /// The executor of the accounts rejected the request before its job began: nothing was done.
  ///
  /// Made by `rejectedAs:`. A rejection that arrives as it is comes from something inside the job, which has begun.
  case notBegun(JobRejection)
  /// This process was not granted access to the account, so the job never ran.
  case noAccess(String)
  /// The store has seen a higher fence: this process had lost its access, and did not know.
  case fencedOff(Name, fence: UInt64, seen: UInt64)
  /// The store has seen a higher fence than the engine can have granted: its numbers have begun again.
  case numbersBeganAgain(seen: UInt64, newest: UInt64)
  /// The account was written by another since it was read.
  case changed(Name)
  /// The name of the request stands for another one.
  case otherRequest(Name)
}
