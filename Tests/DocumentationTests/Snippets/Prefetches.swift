// How the article for those who come from a coalescer limits prefetches.
import SerialTasks

enum FlightLimits {
  struct Images: Sendable {
    let api: API
    let images = TaskCoalescer<String, Profile>(name: "images")
    let slots = KeyedSerialTaskExecutor<Never?>(name: "slots", maximumConcurrentJobs: 4)

    func willShow(_ ids: [String]) {
      for id in ids {
        images.prefetch(id, expiresAfter: .seconds(30)) {
          try await slots.enqueue(forAll: []) { try await api.profile(of: id) }
        }
      }
    }

    func image(_ id: String) async throws -> Profile {
      try await images.value(for: id) {
        try await slots.enqueue(forAll: []) { try await api.profile(of: id) }
      }
    }
  }
}
