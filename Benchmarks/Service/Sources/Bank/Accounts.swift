import SerialTasks

/// What the routes ask for; each way to keep the order conforms to it.
package protocol Accounts: Sendable {
  /// Returns a page of all accounts, from this one on.
  func list(from account: Name?) async throws -> AccountList
  /// Returns the account with a page of its notes, from this one on.
  func account(_ id: Name, from note: Name?) async throws -> Account
  func change(_ change: NoteChange) async throws
  func transfer(_ transfer: Transfer) async throws

  /// How many jobs wait and run at this moment, by the name of their executor.
  var jobs: [String: (waiting: Int, running: Int)] { get }

  /// What has to be shut down before the database is closed.
  var parts: [any Drainable] { get }
}

/// What every way is given.
package struct Limits: Sendable {
  /// How many requests may wait; one more is rejected.
  package var capacity: Int
  /// How long a request may wait for its turn; `nil` if that is not limited.
  package var waiting: Duration?
  package var onEvent: @Sendable (TaskEvent) -> Void

  package init(capacity: Int, waiting: Duration?, onEvent: @escaping @Sendable (TaskEvent) -> Void = { _ in }) {
    self.capacity = capacity
    self.waiting = waiting
    self.onEvent = onEvent
  }
}
