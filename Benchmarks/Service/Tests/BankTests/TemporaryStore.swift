import Bank
import Foundation

/// A new database of two accounts, at a path, which is removed afterwards.
func withStore(_ body: (Store, String) async throws -> Void) async throws {
  let path = NSTemporaryDirectory() + "serial-tasks-bank-\(UUID().uuidString).sqlite"
  defer { for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) } }
  let store = try Store(path: path, accounts: 2)
  try await body(store, path)
  try store.close()
}
