import SerialTasksFenced

struct TurnError: Error {}

/// A value behind a lock, taken in a separate function, as ``Lock`` requires.
final class Shared<Value: Sendable>: Sendable {
  private let lock: Lock<Value>

  init(_ value: Value) { lock = Lock(value) }

  @inline(never)
  func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&$0) } }
}

struct Turns: Sendable {
  private var inside: UInt64?
  private var last: UInt64?
  private(set) var count = 0
  private(set) var wrong: String?

  mutating func begin(_ number: UInt64) {
    if let inside { wrong = wrong ?? "the turn with fence \(number) began while the turn with \(inside) ran" }
    if let last, number <= last { wrong = wrong ?? "fence \(number) was granted after \(last)" }
    (inside, last) = (number, number)
    count += 1
  }

  mutating func end() { inside = nil }
}

/// Learns a fence's number before anything is read under it, and rejects a lower one, as every store has to.
struct FencedStore {
  private var highest: UInt64 = 0
  private(set) var writes: [UInt64] = []

  mutating func read(_ number: UInt64) throws { try learn(number) }

  mutating func write(_ number: UInt64) throws {
    try learn(number)
    writes.append(number)
  }

  private mutating func learn(_ number: UInt64) throws {
    if number < highest { throw Broken("refused") }
    highest = number
  }
}

final class Held: Sendable {
  private let fence = Shared<Fence?>(nil)
  private let began = SerialTaskExecutor()
  private let over = SerialTaskExecutor()

  init() {
    began.pause()
    over.pause()
  }

  var number: UInt64? { fence.with { $0?.number } }

  /// The turn must have begun.
  var lent: Fence { fence.with { $0! } }

  func check() throws { try fence.with { $0 }?.check() }

  /// Ignores cancellation.
  nonisolated(nonsending) func run(_ fence: Fence) async {
    self.fence.with { $0 = fence }
    began.resume()
    _ = await Task { [over] in try await over.enqueue {} }.result
  }

  nonisolated(nonsending) func hasBegun() async throws { try await began.enqueue {} }

  func release() { over.resume() }
}

extension AccessConformance {
  func number(_ access: Access, _ key: Access.Key) async throws -> UInt64 {
    let number = Shared<UInt64?>(nil)
    try await access.withAccess(to: key) { fence in number.with { $0 = fence.number } }
    guard let number = number.with({ $0 }) else { throw Broken("the call returned, but its turn did not run") }
    return number
  }

  @discardableResult
  func expectFree(_ key: Access.Key, _ broken: String) async throws -> UInt64 {
    try await within(broken) { try await number(try await access(), key) }
  }

  func begin(
    _ key: Access.Key, _ held: Held, as client: Access? = nil, _ first: @escaping @Sendable () throws -> Void = {}
  ) async throws -> Task<Void, any Error> {
    let access = if let client { client } else { try await access() }
    return Task.detached {
      try await access.withAccess(to: key) { fence in
        try first()
        await held.run(fence)
      }
    }
  }

  func hold(
    _ key: Access.Key, as access: Access? = nil
  ) async throws -> (task: Task<Void, any Error>, held: Held) {
    let held = Held()
    let task = try await begin(key, held, as: access)
    try await within("the key is free, but access to it was not granted") { try await held.hasBegun() }
    return (task, held)
  }

  /// Grants and releases other keys, which gives a request time to arrive and be granted.
  func letOthersPass() async throws {
    let access = try await access()
    try await within("other keys are free, but access to them was not granted") {
      for _ in 1...5 { _ = try await number(access, key()) }
    }
  }

  func end(_ task: Task<Void, any Error>) async throws {
    try await within("a turn has ended, but its call did not return") { try await task.value }
  }

  /// Runs the body, which must end within the patience; otherwise leaves it behind and throws.
  @discardableResult
  func within<Success: Sendable>(
    _ broken: String, _ body: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    let job = SerialTaskExecutor().submit { try await body() }
    return try await withThrowingTaskGroup(of: Success.self) { group in
      group.addTask { try await job.value }
      group.addTask {
        try await sleep(patience)
        throw Broken(broken)
      }
      defer { group.cancelAll() }
      do { return try await group.next()! } catch {
        job.cancel()
        throw error
      }
    }
  }
}
