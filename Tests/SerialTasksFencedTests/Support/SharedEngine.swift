import SerialTasks
import SerialTasksFenced
import SerialTasksTesting

/// An engine that the executors of a test share, as processes share one: it grants a key to one of them at a time, in order.
final class SharedEngine: ExclusiveAccess {
  private struct State: Sendable {
    var numbers: [String: UInt64] = [:]
    var lost: Set<String> = []
  }

  private let line = KeyedSerialTaskExecutor<String>(name: "engine")
  private let state = Lock(State())
  let log = Log<String>()
  /// What it does when it is asked whether another asks.
  private let hears: @Sendable (KeyedSerialTaskExecutor<String>, String) async throws -> Void

  /// - Parameter hears: Returns when another asks; by default, it does not hear of that.
  init(
    hears: @escaping @Sendable (KeyedSerialTaskExecutor<String>, String) async throws -> Void = { _, _ in
      try await Gate().passUnlessCancelled()
    }
  ) { self.hears = hears }

  /// An engine that hears of those that wait.
  static func hearing() -> SharedEngine { SharedEngine { line, key in try await line.waits(for: 1, of: key) } }

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    log("ask \(key)")
    try await line.enqueue(for: key) {
      let number = grant(key)
      log("grant \(key) \(number)")
      defer { log("release \(key) \(number)") }
      try await Fence.lend(number: number, check: { try self.check(key, number) }, to: turn)
    }
  }

  nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
    try await hears(line, key)
  }

  /// Another process has the key from now on; `release` ends that.
  func hold(_ key: String) async -> Gate {
    let (held, release) = (Gate(), Gate())
    line.submit(for: key) {
      held.open()
      await release.pass()
    }
    await held.pass()
    return release
  }

  /// Returns when so many wait for the key.
  func waits(for count: Int, of key: String) async throws { try await line.waits(for: count, of: key) }

  /// The present grant of the key is lost.
  func lose(_ key: String) { state.withLock { _ = $0.lost.insert("\(key) \($0.numbers[key] ?? 0)") } }

  private func grant(_ key: String) -> UInt64 {
    state.withLock {
      $0.numbers[key, default: 0] += 1
      return $0.numbers[key]!
    }
  }

  private func check(_ key: String, _ number: UInt64) throws {
    if state.withLock({ $0.lost.contains("\(key) \(number)") }) {
      throw AccessError.lost(number: number, reason: "the test says so")
    }
  }
}
