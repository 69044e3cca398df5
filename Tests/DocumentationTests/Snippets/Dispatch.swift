// Before and after, for those who come from Grand Central Dispatch.
import Foundation
import SerialTasks
import Synchronization

enum DispatchBefore {
  final class Store: @unchecked Sendable {
    private let queue = DispatchQueue(label: "notes", attributes: .concurrent)
    private let server: LegacyServer
    private var count = 0

    init(server: LegacyServer) { self.server = server }

    var saved: Int { queue.sync { count } }

    func save(_ note: Note) throws {
      try queue.sync(flags: .barrier) {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>>(.success(()))
        server.save(note) { answer in
          result.withLock { $0 = answer }
          done.signal()
        }
        done.wait()  // a thread waits for another
        try result.withLock { try $0.get() }
        count += 1
      }
    }

    func saveAll(_ notes: [Note], then show: @escaping @Sendable () -> Void) {
      let group = DispatchGroup()
      for note in notes {
        // A thread each, and each of them waits.
        DispatchQueue.global().async(group: group) { try? self.save(note) }
      }
      group.notify(queue: .main, execute: show)
    }
  }
}

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

    /// What was `sync` around a variable: from any thread, without an await.
    var saved: Int { count.withLock { $0 } }

    /// What was a barrier around a callback: nothing else runs until it is called.
    func save(_ note: Note) async throws {
      try await line.write { try await send(note) }
    }

    private func send(_ note: Note) async throws {
      try await withCheckedThrowingContinuation { continuation in
        server.save(note) { continuation.resume(with: $0) }
      }
      count.withLock { $0 += 1 }
    }

    /// What was a block on a concurrent queue: reads run together, never beside a write.
    func export(
      _ read: @escaping @Sendable () async throws -> [Note]
    ) async throws -> [Note] {
      try await line.read("all") { try await read() }
    }

    /// What was `async(flags: .barrier)`: the place is taken before this call returns.
    @discardableResult
    func saveLater(_ note: Note) -> SubmittedJob<Void> {
      line.submitWrite(name: "save \(note.id)") { try await self.send(note) }
    }

    func saveAll(_ notes: [Note]) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in  // what was a DispatchGroup
        for note in notes { group.addTask { try await self.save(note) } }
        try await group.waitForAll()  // the first error cancels the others
      }
    }
  }

  @MainActor final class Screen {
    private(set) var title = ""
    let line = SerialTaskExecutor(name: "saves")

    func save(_ note: Note, to service: any NotesService) {
      line.submit(name: "save") { try await service.save(note) }
        .whenComplete(on: MainActor.self) { result in  // what was DispatchQueue.main.async
          if case .success = result { self.title = "saved ✓" }
        }
    }
  }

  static func width(_ photos: [String], _ send: @escaping @Sendable (String) async throws -> Void) async throws {
    let uploads = KeyedSerialTaskExecutor<String>(
      name: "uploads", maximumConcurrentJobs: 4)
    let jobs = photos.map { photo in
      uploads.submit(forAll: [], name: photo) { try await send(photo) }
    }
    uploads.close()  // nothing follows
    try await uploads.drain()  // what was group.wait(): blocks no thread
    for job in jobs { try await job.value }  // throws the error of one that failed
  }
}
