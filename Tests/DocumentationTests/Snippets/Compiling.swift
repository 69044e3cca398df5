// The blocks of the article "When it does not compile": what to write instead.
import CoalescingTasks

enum CompilingUse {
  actor Saves {
    let line = SerialTaskExecutor(name: "saves")
    let log = Log()
    var saved: [Note] = [Note(id: 1)]

    func badge() async -> Int {
      do {
        return try await line.enqueue(rejectedAs: { $0 }) {
          () async throws(JobRejection) in saved.count
        }
      } catch {  // a JobRejection, and nothing else
        log("\(error)")  // "The job was rejected: the executor is closed."
        return 0
      }
    }
  }

  @MainActor final class FeedScreen {
    private var loader: Reloader<FeedReason, [String]>!
    var shown: [String] = []

    init(fetch: @escaping @Sendable () async throws -> [String]) {
      loader = Reloader(name: "feed", load: { _ in try await fetch() }) { @MainActor [weak self] in self?.shown = $0 }
    }
  }

  final class Profiles: Sendable {
    let api: API
    let profiles = TaskCoalescer<String, Profile>(name: "profiles")

    init(api: API) { self.api = api }

    func profile(of id: String) async throws -> Profile {
      try await profiles.value(for: id) { [api] in try await api.profile(of: id) }
    }
  }

  nonisolated enum Key: Hashable { case all, note(Int) }

  @globalActor actor Printer { static let shared = Printer() }

  nonisolated final class Draft { var edits = 0 }

  @Printer static func edits() -> Int { Draft().edits }

  static func elsewhere(_ line: SerialTaskExecutor) async throws -> Int {
    let count = try await line.enqueue { await edits() }  // @Printer func edits()
    return count
  }

  static func typed(_ line: SerialTaskExecutor, _ service: any NotesService, _ note: Note) async throws(NotesError) {
    try await line.enqueue(rejectedAs: NotesError.unavailable) {
      () async throws(NotesError) in
      try await service.save(note)
    }
  }
}
