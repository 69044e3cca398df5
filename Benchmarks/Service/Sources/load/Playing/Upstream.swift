import CoalescingTasks
import Synchronization

/// A made-up service elsewhere that no database can help: 20 ms a call, no transactions, and a quota of calls.
actor Upstream {
  struct OverQuota: Error {}

  static let latency = Duration.milliseconds(20)
  /// Calls a second.
  static let quota = 500

  private var values: [Int: Int] = [:]
  private var window = (begin: ContinuousClock.now, calls: 0)
  private(set) var calls = 0
  private(set) var refusals = 0

  /// The sum of all values.
  var sum: Int { values.values.reduce(0, +) }

  func get(_ key: Int) async throws -> Int {
    try count()
    try await Task.sleep(for: Upstream.latency / 2)
    let value = values[key] ?? 0
    try await Task.sleep(for: Upstream.latency / 2)
    return value
  }

  func put(_ key: Int, _ value: Int) async throws {
    try count()
    try await Task.sleep(for: Upstream.latency)
    values[key] = value
  }

  private func count() throws {
    calls += 1
    if ContinuousClock.now - window.begin > .seconds(1) { window = (.now, 0) }
    window.calls += 1
    if window.calls > Upstream.quota {
      refusals += 1
      throw OverQuota()
    }
  }
}

/// Ways to use the upstream: counters that are read, and raised by one.
protocol Counters: Sendable {
  func value(_ key: Int) async throws -> Int
  func raise(_ key: Int) async throws -> Int
}

/// Each request asks for itself.
struct DirectCounters: Counters {
  let upstream: Upstream

  func value(_ key: Int) async throws -> Int { try await upstream.get(key) }

  func raise(_ key: Int) async throws -> Int {
    let value = try await upstream.get(key) + 1
    try await upstream.put(key, value)
    return value
  }
}

/// Equal reads share a call, and the writes of a key run in order, behind the reads that came before.
struct CoalescingCounters: Counters {
  let direct: DirectCounters
  private let line = CoalescingTaskExecutor<Int>(name: "counters")

  init(_ upstream: Upstream) { direct = DirectCounters(upstream: upstream) }

  func value(_ key: Int) async throws -> Int {
    try await line.read(key) { [direct] in try await direct.value(key) }
  }

  func raise(_ key: Int) async throws -> Int {
    try await line.write(touching: [key]) { try await direct.raise(key) }
  }
}
