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

  nonisolated enum Key: Hashable { case all, note(Int) }

  @globalActor actor Printer { static let shared = Printer() }

  nonisolated final class Draft { var edits = 0 }

  @Printer static func edits() -> Int { Draft().edits }

  static func elsewhere(_ line: SerialTaskExecutor) async throws -> Int {
    let count = try await line.enqueue { await edits() }  // @Printer func edits()
    return count
  }
}
