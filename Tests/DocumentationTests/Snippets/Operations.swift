// For those who come from OperationQueue and completion handlers.
import CoalescingTasks
import Foundation

enum OperationsAfter {
  final class ProfileManager: Sendable {
    private let profiles = TaskCoalescer<String, Profile>(name: "profiles")

    func fetchProfile(
      _ id: String, on callbackQueue: OperationQueue,
      fetch: @escaping @Sendable () async throws -> Profile,
      completion: @escaping @Sendable (Result<Profile, any Error>) -> Void
    ) {
      profiles.value(for: id, { try await fetch() }) { result in
        callbackQueue.addOperation { completion(result) }  // each on its own queue
      }
    }
  }

  static func dependent(
    _ photos: [String], _ send: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    let line = KeyedSerialTaskExecutor<String>(name: "import", maximumConcurrentJobs: 4)
    let album = line.submit(touching: photos) { try await send("album") }
    for photo in photos {
      line.submit(for: photo) {
        try await album.value  // throws if the album failed or was cancelled
        try await send(photo)
      }
    }
    line.submit(touching: photos) { try await send("index") }
    try await line.drain()
  }
}
