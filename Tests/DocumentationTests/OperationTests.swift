import Foundation
import SerialTasks
import Testing

/// The article for those who come from `OperationQueue`, run: callbacks arrive on the queue that was given.
@Suite(.watched, .oneOrder) struct OperationTests {
  let callbacks = OperationQueue()

  init() { callbacks.maxConcurrentOperationCount = 1 }

  /// Waits for a callback, and for the queue that it came on.
  private func called<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) async -> (Result<Value, any Error>, OperationQueue?) {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: ($0, OperationQueue.current)) }
    }
  }

  /// Fails if: one of the callers is not called, or not on its queue, or the work is done twice.
  @Test func after() async throws {
    let manager = OperationsAfter.ProfileManager()
    let (api, gate) = (API(), Gate())
    let other = OperationQueue()
    async let first: (Result<Profile, any Error>, OperationQueue?) = called {
      manager.fetchProfile(
        "ann", on: callbacks,
        fetch: {
          await gate.pass()
          return try await api.profile(of: "ann")
        }, completion: $0)
    }
    await gate.waitForArrivals()
    async let second: (Result<Profile, any Error>, OperationQueue?) = called {
      manager.fetchProfile("ann", on: other, fetch: { try await api.profile(of: "ann") }, completion: $0)
      Task { gate.open() }
    }
    let (one, two) = await (first, second)
    #expect(try one.0.get() == two.0.get() && api.calls == 1)
    #expect(one.1 === callbacks && two.1 === other)
  }

  /// Fails if: the photos wait for each other, or run before the album, or the index runs before them.
  @Test func dependencies() async throws {
    let (log, gate) = (Log(), Gate())
    let photos = ["a", "b", "c"]
    async let sent: Void = OperationsAfter.dependent(photos) {
      log($0)
      if photos.contains($0) { await gate.pass() }
    }
    await gate.waitForArrivals(3)  // all of them run at the same time
    #expect(log.entries.first == "album" && !log.entries.contains("index"))
    gate.open()
    try await sent
    #expect(log.entries.count == 5 && log.entries.last == "index")
  }

  /// Fails if: a photo is sent although the album failed.
  @Test func aFailedDependency() async throws {
    let log = Log()
    try await OperationsAfter.dependent(["a", "b"]) {
      log($0)
      if $0 == "album" { throw NotesError.missing(1) }
    }
    #expect(log.entries == ["album", "index"])
  }

  /// Fails if: one of the two ways of cancelling gives another error than the article says.
  @Test func twoWaysOfCancelling() async throws {
    let (line, gate) = (SerialTaskExecutor(), Gate())
    let running = line.submit { await gate.pass() }
    await gate.waitForArrivals()
    let (alone, all) = (line.submit {}, line.submit {})
    alone.cancel()
    line.cancelAll()
    await #expect(throws: CancellationError.self) { try await alone.value }
    await #expect(throws: JobRejection.withdrawn) { try await all.value }
    gate.open()
    try await running.value
  }
}
