// How the library is written by its users: every line must compile, without a warning, in each CLIENT_MODE.
// Nothing here is meant to be run.
import SerialTasks

nonisolated struct Note: Sendable, Hashable {
  var id: Int
  var text: String
}

nonisolated enum NotesError: Error {
  case unavailable(JobRejection)
  case missing(Int)
}

nonisolated enum Unsent: Error { case because(any Error) }

protocol NotesService: Sendable {
  func fetchNotes() async throws -> [Note]
  func fetchNote(_ id: Int) async throws(NotesError) -> Note
  func save(_ note: Note) async throws(NotesError)
}

/// An actor wraps a service: writes ordered, the job runs on the actor itself and may touch its state.
actor NotesRepository {
  let service: any NotesService
  let writes = SerialTaskExecutor(name: "notes")
  var saved: [Note] = []

  init(service: any NotesService) { self.service = service }

  func save(_ note: Note) async throws(NotesError) {
    try await writes.enqueue(rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
      try await service.save(note)
      saved.append(note)  // isolated to the repository, no hop
    }
  }

  func count() async throws -> Int { try await writes.enqueue { saved.count } }
}

final class Draft { var edits = 0 }  // not Sendable

@MainActor final class DraftModel {
  let writes = SerialTaskExecutor(name: "notes")
  let draft = Draft()
  var shown: [Note] = []

  func save(_ note: Note) async throws {
    try await writes.enqueue {
      shown.append(note)
      draft.edits += 1  // still on the main actor; `draft` is not Sendable
    }
  }

  func saveLater(_ note: Note) {  // from a synchronous callback; the place is taken here
    writes.submit(name: "save \(note.id)") {
      self.shown.append(note)
      self.draft.edits += 1
    }
  }

  func logOut() async throws {
    writes.close()
    writes.cancelAll()
    try await writes.drain()  // nothing lands after this line
    print(writes.snapshot.waiting)
  }
}

nonisolated struct Token: ~Copyable {
  let id: Int
}

func jobs() async throws {
  let executor = SerialTaskExecutor(name: "orders", capacity: 1_000) { event in print(event.kind) }
  let number = try await executor.enqueue { 42 }
  let token: Token = try await executor.enqueue { Token(id: 1) }
  _ = consume token
  let job = executor.submit(name: "ship", priority: .high) { "shipped" }
  let text = try await job.value
  job.cancel()
  print(job.isCancelled, await job.result)
  job.whenComplete { result in print(result) }
  executor.submit { print("nobody waits for this one") }
  executor.pause()
  executor.resume()
  executor.cancelAll()
  print(executor.snapshot.waiting, executor.snapshot.running > 0, number, text)
  try await executor.enqueue {
    executor.preconditionInJob()
    print(executor.isInJob)
  }
  executor.close()
  try await executor.drain()

  do { try await executor.enqueue { try await executor.enqueue {} } } catch JobRejection.deadlock(let deadlock) {
    print(deadlock, deadlock.path)
  }

  let typed: Result<Int, Unsent> = await executor.submit { 1 }.result.mapError(Unsent.because)
  do throws(Unsent) { print(try typed.get()) } catch { print(error) }
}
