// flags: -default-isolation MainActor
// What the article "When it does not compile" explains; `.ci/wrong-calls` compares. Nothing here compiles.
import CoalescingTasks

enum Key: Hashable { case all }

final class Model {
  // error: main actor-isolated conformance of 'Client.Key' to 'Hashable' cannot satisfy conformance requirement for a 'Sendable' type parameter 'Key'
  let notes = CoalescingTaskExecutor<Key>(name: "notes")

  // error: cannot infer contextual base in reference to member 'all'
  func load() async throws -> Int { try await notes.read(.all) { 1 } }
}
