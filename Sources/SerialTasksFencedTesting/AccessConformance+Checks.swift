import SerialTasks
import SerialTasksFenced

extension AccessConformance {
  func checkNumbers(_ access: @escaping @Sendable () async throws -> Access) async throws {
    let key = key()
    var last: UInt64?
    for _ in 1...5 {
      let number = try await within("the key is free, and access to it is not granted") {
        try await self.number(try await access(), key)
      }
      if let last, number <= last { throw Broken("fence \(number) was granted after \(last)") }
      last = number
    }
  }

  func checkExclusion() async throws {
    let key = key()
    let turns = Shared(Turns())
    let clients = 4
    try await within("\(clients) clients ask for a key, and not all of them are granted it") {
      try await withThrowingTaskGroup { group in
        for _ in 1...clients {
          let access = try await access()
          group.addTask {
            for _ in 1...25 {
              try await access.withAccess(to: key) { fence in
                turns.with { $0.begin(fence.number) }
                for _ in 1...3 { await Task.yield() }
                turns.with { $0.end() }
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    let (wrong, count) = turns.with { ($0.wrong, $0.count) }
    if let wrong { throw Broken(wrong) }
    if count != clients * 25 { throw Broken("\(clients * 25) calls returned, and \(count) turns ran") }
  }

  func checkFailedTurn() async throws {
    let (key, access) = (key(), try await access())
    try await within("a turn throws, and the call does not return") {
      do {
        try await access.withAccess(to: key) { _ in throw TurnError() }
        throw Broken("a turn threw, and the call returned")
      } catch is TurnError {}
    }
    try await expectFree(key, "a turn threw, and its key is not released")
  }

  func checkCancelledWaiter() async throws {
    let key = key()
    let holder = try await hold(key)
    let waiter = Held()
    // Its turn would end at once, if it ran.
    waiter.release()
    let waiting = try await begin(key, waiter)
    waiting.cancel()
    let result = try await within("a caller was cancelled while it waited, and goes on waiting") {
      await waiting.result
    }
    if waiter.number != nil { throw Broken("the turn of a caller ran that was cancelled while another held the key") }
    switch result {
    case .success: throw Broken("a caller was cancelled while it waited, and its call did not throw")
    case .failure(let error) where !(error is CancellationError):
      throw Broken("a caller was cancelled while it waited, and \(error) was thrown instead of CancellationError")
    case .failure: break
    }
    holder.held.release()
    try await end(holder.task)
    try await expectFree(key, "a waiter has left, and the key is not granted any more")
  }

  func checkCancelledHolder() async throws {
    let key = key()
    let holder = try await hold(key)
    holder.task.cancel()
    let next = Held()
    next.release()
    let isOver = Shared(false)
    let following = try await begin(key, next) {
      if !isOver.with({ $0 }) { throw Broken("a turn ran while that of a cancelled holder had not ended") }
    }
    // The holder goes on for a while, in which the other call would be granted.
    for _ in 1...1_000 { await Task.yield() }
    isOver.with { $0 = true }
    holder.held.release()
    _ = await holder.task.result
    try await end(following)
  }

  func checkKilledHolder(_ kill: @escaping @Sendable (Access.Key) async throws -> UInt64) async throws {
    let key = key()
    let killed = try await within("the process that is to be killed does not end") { try await kill(key) }
    let number = try await expectFree(key, "the holder was killed, and its key is not granted")
    if number <= killed { throw Broken("fence \(number) was granted after the killed holder's \(killed)") }
  }

  func checkPausedHolder(_ expire: @escaping @Sendable (Access.Key) async throws -> Void) async throws {
    let key = key()
    let holder = try await hold(key)
    try await within("the holder cannot be made to lose its key") { try await expire(key) }
    var store = FencedStore()
    let next = try await expectFree(key, "the holder has lost its key, and it is not granted to another")
    try store.write(next)
    // The paused holder goes on, and writes too late.
    if (try? store.write(holder.held.number!)) != nil {
      throw Broken("a store cannot refuse the late write: fence \(next) was granted after \(holder.held.number!)")
    }
    try await within("a holder has lost its key, and its fence does not say so") {
      while (try? holder.held.check()) != nil { try await Task.sleep(for: .milliseconds(5)) }
    }
    holder.held.release()
    _ = try await within("a holder has lost its key, and its call does not end") { await holder.task.result }
  }

  func checkEngine(
    _ stop: @escaping @Sendable () async throws -> Void, _ start: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (key, access) = (key(), try await access())
    let before = try await within("the key is free, and access to it is not granted") { try await number(access, key) }
    try await within("the engine cannot be stopped") { try await stop() }
    let isAway = Shared(true)
    let asking = Task {
      try await access.withAccess(to: key) { _ in
        if isAway.with({ $0 }) { throw Broken("a turn began while the engine was away") }
      }
    }
    // It may fail at once, or wait until the engine is back.
    for _ in 1...1_000 { await Task.yield() }
    isAway.with { $0 = false }
    try await within("the engine cannot be started") { try await start() }
    let result = try await within("a call that was made while the engine was away does not end") { await asking.result }
    if case .failure(let broken as Broken) = result { throw broken }
    let after = try await expectFree(key, "the engine has come back, and access is not granted")
    if after <= before { throw Broken("fence \(after) was granted after \(before), when the engine had come back") }
  }
}

// MARK: - Tools

/// What a turn throws.
private struct TurnError: Error {}

/// A value behind a lock, which is taken in a function of its own, as ``Lock`` asks for.
private final class Shared<Value: Sendable>: Sendable {
  private let lock: Lock<Value>

  init(_ value: Value) { lock = Lock(value) }

  @inline(never)
  func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&$0) } }
}

/// The turns of one key, as they follow each other.
private struct Turns: Sendable {
  private var inside: UInt64?
  private var last: UInt64?
  private(set) var count = 0
  /// The first thing that was wrong.
  private(set) var wrong: String?

  mutating func begin(_ number: UInt64) {
    if let inside { wrong = wrong ?? "the turn with fence \(number) began while that with \(inside) ran" }
    if let last, number <= last { wrong = wrong ?? "fence \(number) was granted after \(last)" }
    (inside, last) = (number, number)
    count += 1
  }

  mutating func end() { inside = nil }
}

/// What every store has to do that is written to under a fence.
private struct FencedStore {
  private var highest: UInt64 = 0

  mutating func write(_ number: UInt64) throws {
    if number < highest { throw Broken("refused") }
    highest = number
  }
}

/// A turn that goes on until it is told to end.
private final class Held: Sendable {
  private let fence = Shared<Fence?>(nil)
  private let began = SerialTaskExecutor()
  private let over = SerialTaskExecutor()

  init() {
    began.pause()
    over.pause()
  }

  var number: UInt64? { fence.with { $0?.number } }

  func check() throws { try fence.with { $0 }?.check() }

  /// Not ended by cancellation.
  nonisolated(nonsending) func run(_ fence: Fence) async {
    self.fence.with { $0 = fence }
    began.resume()
    _ = await Task { [over] in try await over.enqueue {} }.result
  }

  nonisolated(nonsending) func hasBegun() async throws { try await began.enqueue {} }

  func release() { over.resume() }
}

extension AccessConformance {
  private func number(_ access: Access, _ key: Access.Key) async throws -> UInt64 {
    let number = Shared<UInt64?>(nil)
    try await access.withAccess(to: key) { fence in number.with { $0 = fence.number } }
    guard let number = number.with({ $0 }) else { throw Broken("the call returned, and the turn did not run") }
    return number
  }

  @discardableResult
  private func expectFree(_ key: Access.Key, _ broken: String) async throws -> UInt64 {
    try await within(broken) { try await number(try await access(), key) }
  }

  /// Asks for the key in a task of its own.
  private func begin(
    _ key: Access.Key, _ held: Held, _ first: @escaping @Sendable () throws -> Void = {}
  ) async throws -> Task<Void, any Error> {
    let access = try await access()
    return Task.detached {
      try await access.withAccess(to: key) { fence in
        try first()
        await held.run(fence)
      }
    }
  }

  /// Holds the key in a task of its own.
  private func hold(_ key: Access.Key) async throws -> (task: Task<Void, any Error>, held: Held) {
    let held = Held()
    let task = try await begin(key, held)
    try await within("the key is free, and access to it is not granted") { try await held.hasBegun() }
    return (task, held)
  }

  private func end(_ task: Task<Void, any Error>) async throws {
    try await within("a turn has ended, and its call does not return") { try await task.value }
  }

  /// Does something that has to come to its end; leaves it behind if it does not.
  @discardableResult
  private func within<Success: Sendable>(
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
