// For those who come from Grand Central Dispatch.
import CoalescingTasks
import Foundation
import SerialTasksTesting
import Synchronization

/// A server with callbacks.
final class LegacyServer: Sendable {
  typealias Answer = @Sendable (Result<Void, any Error>) -> Void

  private let notes = Mutex<[Note]>([])
  let gate: Gate?

  init(gate: Gate? = nil) { self.gate = gate }

  var saved: [Note] { notes.withLock { $0 } }

  func save(_ note: Note, _ answer: @escaping Answer) {
    Task {
      await gate?.pass()
      notes.withLock { $0.append(note) }
      answer(.success(()))
    }
  }
}

enum DispatchAfter {
  final class Store: Sendable {
    private let line = CoalescingTaskExecutor<String>(name: "notes")
    private let server: LegacyServer
    private let count = Mutex(0)

    init(server: LegacyServer) { self.server = server }

    var saved: Int { count.withLock { $0 } }

    func save(_ note: Note) async throws {
      try await line.write { try await send(note) }
    }

    private func send(_ note: Note) async throws {
      try await withCheckedThrowingContinuation { continuation in
        server.save(note) { continuation.resume(with: $0) }  // exactly once
      }
      count.withLock { $0 += 1 }
    }

    func export(
      _ read: @escaping @Sendable () async throws -> [Note]
    ) async throws -> [Note] {
      try await line.read("all") { try await read() }
    }

    @discardableResult
    func saveLater(_ note: Note) -> SubmittedJob<Void> {
      line.submitWrite(name: "save \(note.id)") { try await self.send(note) }
    }
  }
}
