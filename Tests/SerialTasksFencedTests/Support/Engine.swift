import SerialTasks
import SerialTasksFenced

struct EngineError: Error, Equatable { let request: Int }

/// An engine in this process, which writes down what it is asked and does what a test tells it to.
final class Engine: ExclusiveAccess {
  private struct State: Sendable {
    var requests = 0
    var granted: [String: UInt64] = [:]
    var lost: Set<UInt64> = []
    var inside = 0
  }

  let log = Log<String>()
  private let state = Lock(State())
  private let before: @Sendable (Int) async throws -> Void
  private let after: @Sendable (Int) async throws -> Void

  /// - Parameters:
  ///   - before: Called with the number of the request, from 1 on, before it is granted.
  ///   - after: Called with it when the turn has ended, before access is released.
  init(
    before: @escaping @Sendable (Int) async throws -> Void = { _ in },
    after: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) {
    self.before = before
    self.after = after
  }

  /// How often it was asked.
  var requests: Int { state.withLock { $0.requests } }

  /// From now on the fence with this number is lost.
  func lose(_ number: UInt64) { _ = state.withLock { $0.lost.insert(number).inserted } }

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let request = begin()
    log("ask \(key)")
    try await before(request)
    let number = grant(key)
    log("grant \(key) \(number)")
    do { try await turn(Fence(number: number) { try self.check(number) }) } catch {
      log("turn threw \(error)")
    }
    try await after(request)
    log("release \(key) \(number)")
  }

  private func begin() -> Int {
    state.withLock {
      $0.requests += 1
      return $0.requests
    }
  }

  private func grant(_ key: String) -> UInt64 {
    state.withLock {
      $0.granted[key, default: 0] += 1
      return $0.granted[key]!
    }
  }

  private func check(_ number: UInt64) throws {
    if state.withLock({ $0.lost.contains(number) }) {
      throw AccessError.lost(number: number, reason: "the test says so")
    }
  }
}

/// The callers of one key, each started when the one before it stands in line.
struct Callers {
  let executor: FencedSerialTaskExecutor<String>
  let log = Log<String>()

  /// A caller that has its place, or its turn, when this returns: `Task.immediate` runs to the first suspension.
  @discardableResult
  func call(
    _ name: String, for key: String = "k", _ job: @escaping @Sendable (Fence) async throws -> Void = { _ in }
  ) -> Task<Void, any Error> {
    Task.immediate {
      try await executor.enqueue(for: key, name: name) { fence in
        log("\(name) \(fence.number)")
        try await job(fence)
      }
    }
  }
}
