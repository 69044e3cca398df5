// Before and after, for those who come from OperationQueue and completion handlers.
import CoalescingTasks
import Foundation
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
  }

  static func dependent(
    _ photos: [String], _ send: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    let line = KeyedSerialTaskExecutor<String>(name: "import", maximumConcurrentJobs: 4)
    let album = line.submit(forAll: photos) { try await send("album") }
    for photo in photos {
      line.submit(for: photo) {
        try await album.value  // throws if the album failed or was cancelled
        try await send(photo)
      }
    }
    line.submit(forAll: photos) { try await send("index") }
    try await line.drain()
  }
}
