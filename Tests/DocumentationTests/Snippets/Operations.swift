// Before and after, for those who come from OperationQueue and completion handlers.
import Foundation
import SerialTasks
import Synchronization

enum OperationsBefore {
  final class CoalescibleOperation: Operation, @unchecked Sendable {
    typealias Handler = @Sendable (Result<Profile, any Error>) -> Void

    let identifier: String
    private let fetch: @Sendable () throws -> Profile
    private let handlers: Mutex<[(OperationQueue, Handler)]>

    init(
      _ identifier: String, on queue: OperationQueue,
      fetch: @escaping @Sendable () throws -> Profile,
      handler: @escaping Handler
    ) {
      self.identifier = identifier
      self.fetch = fetch
      handlers = Mutex([(queue, handler)])
    }

    func coalesce(_ other: CoalescibleOperation) {
      let more = other.handlers.withLock { $0 }
      handlers.withLock { $0 += more }
    }

    override func main() {
      let result = Result { try fetch() }  // a handler added after this is never called
      for (queue, handler) in handlers.withLock({ $0 }) {
        queue.addOperation { handler(result) }
      }
    }
  }

  final class ProfileManager: Sendable {
    private let queue = OperationQueue()

    func fetchProfile(
      _ id: String, on callbackQueue: OperationQueue,
      fetch: @escaping @Sendable () throws -> Profile,
      completion: @escaping CoalescibleOperation.Handler
    ) {
      let operation = CoalescibleOperation(
        id, on: callbackQueue, fetch: fetch, handler: completion)
      let running = queue.operations.lazy.compactMap { $0 as? CoalescibleOperation }
        .first { $0.identifier == id }
      if let running { running.coalesce(operation) } else { queue.addOperation(operation) }
    }
  }
}

enum OperationsAfter {
  final class ProfileManager: Sendable {
    private let profiles = TaskCoalescer<String, Profile>(name: "profiles")

    func fetchProfile(
      _ id: String, on callbackQueue: OperationQueue,
      fetch: @escaping @Sendable () async throws -> Profile,
      completion: @escaping @Sendable (Result<Profile, any Error>) -> Void
    ) {
      profiles.value(for: id, fetch) { result in
        callbackQueue.addOperation { completion(result) }  // each on its own queue
      }
    }

    /// Each completion is called once, with JobRejection.withdrawn.
    func logOut() { profiles.cancelAll() }
  }

  final class Uploads: Sendable {
    /// Like maxConcurrentOperationCount = 1.
    private let line = SerialTaskExecutor(name: "uploads")

    func upload(
      _ photo: String, with send: @escaping @Sendable (String) async throws -> Void,
      on callbackQueue: OperationQueue,
      completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) -> SubmittedJob<Void> {
      // addOperation: in order, from any thread
      let job = line.submit(name: photo) { try await send(photo) }
      job.whenComplete { result in callbackQueue.addOperation { completion(result) } }
      return job  // job.cancel() is operation.cancel(), and one that waits never starts
    }

    func suspend(_ isSuspended: Bool) { isSuspended ? line.pause() : line.resume() }
    func cancelAllOperations() { line.cancelAll() }
    /// Blocks no thread.
    func waitUntilAllAreFinished() async throws { try await line.drain() }
  }

  @MainActor static func onTheMainActor(
    _ profiles: TaskCoalescer<String, Profile>, _ api: API, _ show: @escaping @MainActor @Sendable (String) -> Void
  ) {
    profiles.value(for: "ann") {
      try await api.profile(of: "ann")
    } completion: { @MainActor result in
      show("\(result)")  // on the main actor, as the closure says
    }
  }

  @MainActor final class Photos {
    var sent: [String] = []
    let line = SerialTaskExecutor(name: "uploads")

    func upload(
      _ photo: String, with send: @escaping @Sendable (String) async throws -> Void
    ) {
      line.submit { try await send(photo) }
        .whenComplete(on: MainActor.self) { result in
          if case .success = result { self.sent.append(photo) }
        }
    }
  }

  @MainActor final class Header {
    var title = ""

    func show(_ profiles: ProfileManager, _ fetch: @escaping @Sendable () async throws -> Profile) {
      profiles.fetchProfile("ann", on: .main, fetch: fetch) { [weak self] result in
        MainActor.assumeIsolated { self?.title = (try? result.get().name) ?? "" }
      }
    }
  }

  static func leaving(_ profiles: TaskCoalescer<String, Profile>, _ api: API, _ queue: OperationQueue, _ log: Log)
    -> Task<Void, any Error>
  {
    let asked = Task {
      let ann = try await profiles.value(for: "ann") { try await api.profile(of: "ann") }
      queue.addOperation { log("\(ann.name)") }
    }
    asked.cancel()  // this caller leaves; the others get their answer
    return asked
  }

  static func dependent(
    _ line: KeyedSerialTaskExecutor<String>, _ send: @escaping @Sendable (String) async throws -> Void
  ) {
    let album = line.submit(for: "album") { try await send("album") }
    line.submit(for: "cover") {
      try await album.value  // of another key: it may be ahead or behind
      try await send("cover")
    }
  }

  static func hiding(_ job: SubmittedJob<Void>, _ show: (String) -> Void) async {
    do {
      try await job.value
    } catch is CancellationError, JobRejection.withdrawn {
      // Cancelled, alone or with all others: nothing to show.
    } catch { show("\(error)") }
  }

  static func bridged(_ legacy: @escaping @Sendable (@escaping @Sendable (Result<Profile, any Error>) -> Void) -> Void)
    async throws -> Profile
  {
    let profiles = TaskCoalescer<String, Profile>(name: "profiles")
    let ann = try await profiles.value(for: "ann") {
      try await withCheckedThrowingContinuation { continuation in
        // Your callback code, unchanged.
        legacy { result in continuation.resume(with: result) }
      }
    }
    return ann
  }
}
