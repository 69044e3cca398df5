import SerialTasks
import SerialTasksFenced
import SerialTasksTesting

struct EngineError: Error, Equatable { let request: Int }

/// An engine that the executors of a test share, as processes share one: it grants a key to one of them at a time, in order, and
/// writes down what it is asked.
final class Engine: ExclusiveAccess {
  typealias Step = @Sendable (_ request: Int) async throws -> Void
  typealias Line = KeyedSerialTaskExecutor<String>

  private struct State: Sendable {
    var requests = 0
    var numbers: [String: UInt64] = [:]
    var lost: Set<String> = []
  }

  private let line = Line(name: "engine")
  private let state = Lock(State())
  private let before: Step
  private let after: Step
  private let hears: @Sendable (Line, String) async throws -> Void
  /// What it was asked and did: `ask k`, `grant k 1`, `release k 1`.
  let log = Log<String>()

  /// - Parameters:
  ///   - before: Called with the number of the request, from 1 on, before it is granted.
  ///   - after: Called with it when the turn has ended, before access is released.
  ///   - hears: Returns when another asks; by default, it does not hear of that.
  init(
    before: @escaping Step = { _ in }, after: @escaping Step = { _ in },
    hears: @escaping @Sendable (Line, String) async throws -> Void = { _, _ in
      try await Gate().passUnlessCancelled()
    }
  ) { (self.before, self.after, self.hears) = (before, after, hears) }

  /// An engine that hears of those that wait.
  static func hearing() -> Engine { Engine(hears: { line, key in try await line.waitUntil(waiting: 1, for: key) }) }

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    log("ask \(key)")
    let request = state.withLock { state in
      state.requests += 1
      return state.requests
    }
    try await line.enqueue(for: key) {
      try await before(request)
      let number = number(key)
      log("grant \(key) \(number)")
      do { try await turn(Fence(number: number) { try self.check(key, number) }) } catch { log("turn threw \(error)") }
      try await after(request)
      log("release \(key) \(number)")
    }
  }

  nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
    try await hears(line, key)
  }

  /// How often it was asked.
  var requests: Int { log.entries.count { $0.hasPrefix("ask") } }

  /// Another process has the key from now on; to open the gate ends that.
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
  func waitUntil(waiting count: Int = 1, for key: String = "k") async throws {
    try await line.waitUntil(waiting: count, for: key)
  }

  /// This grant is lost from now on: `k 1`.
  func lose(_ grant: String) { state.withLock { _ = $0.lost.insert(grant) } }

  private func number(_ key: String) -> UInt64 {
    state.withLock { state in
      state.numbers[key, default: 0] += 1
      return state.numbers[key]!
    }
  }

  private func check(_ key: String, _ number: UInt64) throws {
    if state.withLock({ $0.lost.contains("\(key) \(number)") }) {
      throw AccessError.lost(number: number, reason: "the test says so")
    }
  }
}
