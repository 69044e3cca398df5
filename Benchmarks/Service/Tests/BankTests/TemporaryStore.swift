import Bank
import Foundation
import Postgres
import Servers

/// The databases that the store stands on.
enum Backend: Sendable, CaseIterable {
  case sqlite, postgres

  /// Those that there are here.
  static var present: [Backend] { PostgresServer.program == nil ? [.sqlite] : allCases }

  /// A new database of two accounts, which is removed afterwards.
  func withStore(_ body: (Store, any SQLDatabase) async throws -> Void) async throws {
    switch self {
    case .sqlite:
      try await withSQLite { path in try await body(.on(try SQLite(path: path)), try SQLite(path: path)) }
    case .postgres:
      let server = try PostgresServer()
      try server.start()
      defer { server.remove() }
      let end = ContinuousClock.now + .seconds(20)
      while true {
        let database = PostgresDatabase(server.parameters)
        do {
          try await body(.on(database), database)
          return await database.close()
        } catch StoreError.notDone(let why) {
          // It has just been started.
          if ContinuousClock.now > end { throw StoreError.notDone(why) }
          try await Task.sleep(for: .milliseconds(50))
        }
      }
    }
  }
}

extension Store {
  fileprivate static func on(_ database: any SQLDatabase) async throws -> Store {
    try await Store(database, accounts: 2)
  }
}

/// A path for a new file, which is removed afterwards.
func withSQLite(_ body: (String) async throws -> Void) async throws {
  let path = NSTemporaryDirectory() + "serial-tasks-bank-\(UUID().uuidString).sqlite"
  defer { for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) } }
  try await body(path)
}
