import Foundation
import SerialTasksFenced
import Testing

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

  func moveLocksAway() throws { try FileManager.default.moveItem(atPath: locks, toPath: "\(path)/away") }

  func moveLocksBack() throws { try FileManager.default.moveItem(atPath: "\(path)/away", toPath: locks) }
}

#if !os(Windows) && !os(WASI)
  extension LockFolder {
    /// The number of the fence under which a turn runs.
    func number(_ key: String = "k") async throws -> UInt64 {
      let log = Log<UInt64>()
      try await withAccess(to: key) { log($0.number) }
      return try #require(log.entries.first)
    }

    /// A caller that asks for k.
    func ask(_ turn: @escaping @Sendable () async -> Void = {}) -> Task<Void, any Error> {
      Task { try await withAccess(to: "k") { _ in await turn() } }
    }

    /// A caller that has k until the gate is opened.
    func hold(until gate: Gate) async -> Task<Void, any Error> {
      let holder = ask { await gate.pass() }
      await gate.waitForArrivals()
      return holder
    }

    /// A file of the key k: `lock` is locked by its holder, and `next` by the one that waits for that.
    func file(_ suffix: String) -> String { "\(path)/k.\(suffix)" }
  }
#endif
