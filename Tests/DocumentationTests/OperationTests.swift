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

  @Test func before() async throws {
    let manager = OperationsBefore.ProfileManager()
    let (result, queue) = await called {
      manager.fetchProfile("ann", on: callbacks, fetch: { Profile(name: "ann") }, completion: $0)
    }
    #expect(try result.get().name == "ann" && queue === callbacks)
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
    await gate.arrived()
    async let second: (Result<Profile, any Error>, OperationQueue?) = called {
      manager.fetchProfile("ann", on: other, fetch: { try await api.profile(of: "ann") }, completion: $0)
      Task { gate.open() }
    }
    let (one, two) = await (first, second)
    #expect(try one.0.get() == two.0.get() && api.calls == 1)
    #expect(one.1 === callbacks && two.1 === other)
    manager.logOut()
  }

  @Test func oneAtATime() async throws {
    let uploads = OperationsAfter.Uploads()
    let log = Log()
    uploads.suspend(true)
    let jobs = ["a", "b", "c"].map { name in
      uploads.upload(name, with: { log("sends \($0)") }, on: callbacks) { result in
        log("\(name) \((try? result.get()) == nil ? "failed" : "done")")
      }
    }
    jobs[1].cancel()
    uploads.suspend(false)
    try await uploads.waitUntilAllAreFinished()
    await withCheckedContinuation { all in callbacks.addBarrierBlock { all.resume() } }
    #expect(log.entries.filter { $0.hasPrefix("sends") } == ["sends a", "sends c"])
    #expect(log.entries.filter { !$0.hasPrefix("sends") } == ["b failed", "a done", "c done"])
    uploads.cancelAllOperations()
  }

  @Test @MainActor func onTheMainActor() async {
    let profiles = TaskCoalescer<String, Profile>(name: "profiles")
    let shown = await withCheckedContinuation { continuation in
      OperationsAfter.onTheMainActor(profiles, API()) { text in
        MainActor.assertIsolated()
        continuation.resume(returning: text)
      }
    }
    #expect(shown.contains("ann"))
  }

  /// Fails if: the handlers of submitted jobs do not reach the main actor in the order of the jobs.
  @Test @MainActor func submittedJobsReportToTheMainActor() async throws {
    let photos = OperationsAfter.Photos()
    for photo in ["a", "b", "c"] {
      photos.upload(photo) { if $0 == "b" { throw NotesError.missing(1) } }
    }
    try await until { photos.sent.count == 2 }
    #expect(photos.sent == ["a", "c"])
  }

  /// Fails if: a caller that is a task cannot leave.
  @Test func aTaskLeaves() async throws {
    let (gate, log) = (Gate(), Log())
    let profiles = TaskCoalescer<String, Profile>(name: "profiles")
    let asked = OperationsAfter.leaving(profiles, API(gate: gate), callbacks, log)
    await #expect(throws: CancellationError.self) { try await asked.value }
    gate.open()
    await withCheckedContinuation { all in callbacks.addBarrierBlock { all.resume() } }
    #expect(log.entries.isEmpty)
  }

  /// Fails if: a job that awaits one of another key does not run after it.
  @Test func aDependency() async throws {
    let (line, log) = (KeyedSerialTaskExecutor<String>(), Log())
    OperationsAfter.dependent(line) { log($0) }
    try await line.drain()
    #expect(log.entries == ["album", "cover"])
  }

  /// Fails if: one of the two ways of cancelling gives another error than the article says.
  @Test func twoWaysOfCancelling() async throws {
    let (line, gate, log) = (SerialTaskExecutor(), Gate(), Log())
    let running = line.submit { await gate.pass() }
    await gate.arrived()
    let (alone, all) = (line.submit {}, line.submit {})
    alone.cancel()
    line.cancelAll()
    await #expect(throws: CancellationError.self) { try await alone.value }
    await #expect(throws: JobRejection.withdrawn) { try await all.value }
    for job in [alone, all] { await OperationsAfter.hiding(job) { log($0) } }
    gate.open()
    try await running.value
    await OperationsAfter.hiding(line.submit { throw NotesError.missing(1) }) { log($0) }
    #expect(log.entries == ["missing(1)"])
  }

  @Test func callbacksAreWrapped() async throws {
    let profile = try await OperationsAfter.bridged { completion in
      DispatchQueue.global().async { completion(.success(Profile(name: "ann"))) }
    }
    #expect(profile.name == "ann")
  }
}
