// What no page shows and must compile, without a warning, in each CLIENT_MODE: closures of every call on the main actor and on
// an actor, errors of a type of one's own, results that cannot be copied. Nothing here is run.
import CoalescingTasks

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

}

nonisolated struct Token: ~Copyable {
  let id: Int
}

nonisolated enum Shelf: Hashable, Sendable {
  case inbox
  case archive(year: Int)
}

@MainActor final class Shelves {
  let writes = KeyedSerialTaskExecutor<Shelf>(name: "shelves") { event in print(event) }
  let draft = Draft()
  var shown: [Shelf: [Note]] = [:]

  func put(_ note: Note, on shelf: Shelf) async throws(NotesError) {
    try await writes.enqueue(for: shelf, rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
      shown[shelf, default: []].append(note)
      draft.edits += 1  // still on the main actor; `draft` is not Sendable
    }
  }

  func putLater(_ note: Note, on shelf: Shelf) {  // from a synchronous callback; the place is taken here
    writes.submit(for: shelf, name: "put \(note.id)") {
      self.shown[shelf, default: []].append(note)
      self.draft.edits += 1
    }
  }
}

func results(_ line: SerialTaskExecutor, _ keyed: KeyedSerialTaskExecutor<Shelf>) async throws {
  let token: Token = try await line.enqueue { Token(id: 1) }
  _ = consume token
  let other: Token = try await keyed.enqueue(for: .inbox) { Token(id: 2) }
  _ = consume other
  let typed: Result<Int, Unsent> = await line.submit { 1 }.result.mapError(Unsent.because)
  do throws(Unsent) { print(try typed.get()) } catch { print(error) }
}

private actor Outbox {
  private let queue = SerialTaskExecutor(name: "outbox")
  private let perUser = KeyedSerialTaskExecutor<String>(name: "outboxes")
  private var sent = 0

  /// The closure inherits nothing: it says whose it is.
  nonisolated func send(_ notes: [Int]) {
    for note in notes { queue.submitDetached { await self.deliver(note) } }
    perUser.submitDetached(for: "ann", name: "hello", priority: .utility) { await self.deliver(0) }
  }

  private func deliver(_ note: Int) { sent += note }
}

// A handler on the main actor.
@MainActor final class Button {
  var saved = false
  func save(_ line: SerialTaskExecutor) {
    line.submit { 1 }.whenComplete(on: MainActor.self) { result in if case .success = result { self.saved = true } }
    line.submit { 1 }.whenComplete { (result: Result<Int, any Error>) in print(result) }
  }
}

// Parts of one type, which are not `any Drainable`.
func end(_ lines: [SerialTaskExecutor], _ keyed: some Sequence<KeyedSerialTaskExecutor<Shelf>>) async {
  await lines.shutDown(within: .zero)
  if await !keyed.shutDown(within: .seconds(1)) { print("interrupted") }
}
