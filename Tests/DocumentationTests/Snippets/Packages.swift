// The blocks of the article for those who come from another package, and tests that run them.
import CoalescingTasks
import Foundation
import SerialTasksTesting
import Synchronization
import Testing

enum PackagesUse {
  static func severalAtATime(_ send: @escaping @Sendable () async throws -> Void) async throws {
    let four = KeyedSerialTaskExecutor<Int>(maximumConcurrentJobs: 4)
    try await four.enqueue(touching: []) { try await send() }
  }

  static func barrier(_ send: @escaping @Sendable () async throws -> Void) async throws {
    let queue = CoalescingTaskExecutor<UUID>(maximumConcurrentReads: 4)
    queue.submitRead(UUID()) { try await send() }  // beside other reads
    queue.submitWrite { try await send() }  // a barrier: alone, and in order
    try await queue.drain()
  }
}

@Suite(.watched, .oneOrder) struct PackageArticleTests {
  let gate = Gate()
  let log = Log()

  /// Fails if: a fifth job begins, or one of four does not.
  @Test func fourAtATime() async throws {
    let running = Mutex((now: 0, most: 0))
    let four = KeyedSerialTaskExecutor<Int>(maximumConcurrentJobs: 4)
    let send: @Sendable () async -> Void = { [gate] in
      running.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      await gate.pass()
      running.withLock { $0.now -= 1 }
    }
    let sending = (1...10).map { _ in four.submit(touching: []) { await send() } }
    try await until { running.withLock { $0.now } == 4 }
    gate.open()
    for send in sending { try await send.value }
    #expect(running.withLock { $0.most } == 4)
    try await PackagesUse.severalAtATime { [log] in log("sent") }
    try await PackagesUse.barrier { [log] in log("sent") }
    #expect(log.entries.count == 3)
  }

  /// What stands for `wait()` … `signal()` of Semaphore.
  ///
  /// Fails if: a cancelled task does not wait for its turn, or its job does not run.
  @Test func aCancelledTaskThatWaitsAndRuns() async throws {
    let line = SerialTaskExecutor()
    line.submit { [gate] in await gate.pass() }
    await gate.waitForArrivals()
    let caller = Task { [log] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await line.enqueue { log("never") } }
      try await Task { try await line.enqueue { log("clean-up") } }.value
      log("after")
    }
    try await line.waitUntil(waiting: 1)
    gate.open()
    try await caller.value
    #expect(log.entries == ["clean-up", "after"])
  }
}
