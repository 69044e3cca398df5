/// The seam to the driver: one connection to a PostgreSQL server.
///
/// Everything else in this package is written against it. ``LibpqLink`` is the conformance on libpq; the README says what one on
/// PostgresNIO would be.
package protocol PostgresLink: Sendable {
  /// Runs one statement, and returns its rows as text.
  ///
  /// Statements of one link run one after the other. If the time is over before there is an answer, the link is closed, because
  /// nothing can tell whether the statement was executed. A parameter with a zero character is refused before anything is sent,
  /// with the SQLSTATE 22021: text of PostgreSQL has none.
  @discardableResult
  func query(_ statement: String, _ parameters: [String?], within limit: Duration) async throws -> [[String?]]

  /// Waits for notifications, after `LISTEN`; returns none if the time is over.
  func notifications(within limit: Duration) async throws -> [PostgresNotification]

  /// Whether it can be used; `false` for ever once the connection was lost.
  var isOpen: Bool { get async }

  /// Closes the connection; the server then ends its session.
  func close() async
}

package struct PostgresNotification: Hashable, Sendable {
  /// The process of the server that has sent it, one for each connection.
  package var sender: Int32
  package var payload: String
}

/// Why a statement was not executed, or is not known to have been.
package enum PostgresError: Error, Hashable, Sendable {
  /// The server has refused; `state` is the SQLSTATE.
  case refused(state: String, message: String)
  /// There is no connection, or none any more; whether the statement was executed is not known.
  case unavailable(String)
  /// The key has a zero character, or more than ``PostgresAccess/longestKey`` bytes; it was not asked for.
  case badKey
  /// The session of this process was over before access was granted.
  case sessionEnded
  /// The server's process of the session has served another one, so locks exclude no one.
  case pooled
  /// The engine has been ended, at the end of the process.
  case ended
}

extension PostgresError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .refused(let state, let message): "PostgreSQL refused (\(state)): \(message)"
    case .unavailable(let why): "PostgreSQL did not answer: \(why)"
    case .badKey: "A key has at most \(PostgresAccess.longestKey) bytes, and no zero character."
    case .sessionEnded: "The session ended before access was granted."
    case .pooled:
      "The server's process serves other sessions, too: a pooler stands before it, in transaction or statement mode."
    case .ended: "The engine has ended."
    }
  }
}
