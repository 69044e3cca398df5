/// The seam between the store and a database: statements with `$1`, `$2` …, and rows of text.
///
/// A server of one database would not need it. Here, the same store stands on SQLite and on PostgreSQL.
package protocol SQLDatabase: Sendable {
  /// What a statement that reads ends with so that no other transaction changes the rows until this one has ended.
  var rowLock: String { get }

  /// How many connections work at this moment.
  var busy: Int { get }

  /// Runs one statement that reads.
  func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]]

  /// Runs the statements of the closure as one transaction: all of them count, or none if it throws.
  ///
  /// - Throws: What the closure throws, and ``StoreError``.
  func transaction<Value: Sendable>(
    _ body: @Sendable (any SQLTransaction) async throws -> Value
  ) async throws -> Value

  func close() async throws
}

package protocol SQLTransaction: Sendable {
  @discardableResult
  func rows(_ statement: String, _ parameters: [String?]) async throws -> [[String?]]
}

/// Opens a SQLite file, made if there is none, or a PostgreSQL server by its parameters: `host=… dbname=…`, or `postgres://…`.
package func openDatabase(_ text: String, connections: Int = 10) throws -> any SQLDatabase {
  if text.contains("=") || text.hasPrefix("postgres") { return PostgresDatabase(text, connections: connections) }
  return try SQLite(path: text)
}

/// Why the database did not do what it was asked for.
package enum StoreError: Error, Hashable, Sendable {
  /// It is away, full or busy, and nothing was done.
  case notDone(String)
  /// Its answer was lost. A request with the same name does what was not done, and nothing twice.
  case unknown(String)
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notDone(let why): "The database did nothing: \(why)"
    case .unknown(let why): "The answer of the database was lost: \(why)"
    }
  }
}
