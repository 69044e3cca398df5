import Foundation

/// A folder of a test, which is removed with it.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "serial-tasks-\(UInt64.random(in: 0...(.max)))"
    for name in ["locks", "store"] {
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var locks: String { "\(path)/locks" }
  var store: String { "\(path)/store" }
}
