import SerialTasks

/// An account, with its notes where those were asked for.
package struct Account: Codable, Hashable, Sendable {
  package var id: String
  package var balance: Int
  package var notes: [Note]

  package init(id: String, balance: Int, notes: [Note] = []) {
    self.id = id
    self.balance = balance
    self.notes = notes
  }
}

package struct Note: Codable, Hashable, Sendable {
  package var id: String
  package var text: String

  package init(id: String, text: String) {
    self.id = id
    self.text = text
  }
}

/// A name that a client gives: of an account, a note or a request.
package enum Name {
  /// In bytes of UTF-8.
  package static let longest = 200

  /// Throws if a name is empty or too long, or has a control character: it is logged, where that may begin a line of its own.
  package static func check(_ names: String...) throws {
    for name in names where name.isEmpty || name.utf8.count > longest || name.unicodeScalars.contains(where: isControl)
    {
      throw BankError.bad("A name has 1 to \(longest) bytes, and no control characters.")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
  }
}

/// Money from one account to another.
package struct Transfer: Codable, Hashable, Sendable {
  /// Made by the client, the idempotency key: asked for again under this name, the transfer is not done twice.
  package var id: String
  package var from: String
  package var to: String
  package var amount: Int

  package init(id: String, from: String, to: String, amount: Int) {
    self.id = id
    self.from = from
    self.to = to
    self.amount = amount
  }
}

extension Transfer {
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
  package var id: String
  package var account: String
  package var kind: Kind
  package var note: Note

  package init(id: String, account: String, kind: Kind, note: Note) {
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
  case missing(String)
  /// There is a note of that name already.
  case exists(String)
  /// The request makes no sense: nothing was begun.
  case bad(String)
  case insufficient(String)
  case sameAccount
  /// The executor of the accounts rejected the request before its job began: nothing was done.
  ///
  /// Made by `rejectedAs:`. A rejection that arrives as it is comes from something inside the job, which has begun.
  case notBegun(JobRejection)
  /// This process was not granted access to the account, so the job never ran.
  case noAccess(String)
  /// The store has seen a higher fence: this process had lost its access, and did not know.
  case fencedOff(String, fence: UInt64, seen: UInt64)
  /// The store has seen a higher fence than the engine can have granted: its numbers have begun again.
  case numbersBeganAgain(seen: UInt64, newest: UInt64)
  /// The account was written by another since it was read.
  case changed(String)
  /// The name of the request stands for another one.
  case otherRequest(String)
}
