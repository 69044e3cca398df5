// Reads that merge and writes that stay ordered, as their users write them: every line must compile, without a warning, in
// each CLIENT_MODE.
import CoalescingTasks

// A main-actor model: reads merge, writes stay ordered.
@MainActor final class NotesModel {
  nonisolated enum Key: Hashable { case all, note(Int) }

  let service: any NotesService
  let notes = CoalescingTaskExecutor<Key>(name: "notes")
  var shown: [Note] = []
  let draft = Draft()

  init(service: any NotesService) { self.service = service }

  func load() async throws { shown = try await notes.read(.all) { [service] in try await service.fetchNotes() } }

  func reload() async throws {  // shown inside the read, for which a shutdown waits
    try await notes.read(.all) { @MainActor in self.shown = try await self.service.fetchNotes() }
  }

  func note(_ id: Int) async throws(NotesError) -> Note {
    try await notes.read(.note(id), rejectedAs: NotesError.unavailable) { [service] () async throws(NotesError) in
      try await service.fetchNote(id)
    }
  }

  func save(_ note: Note) async throws {
    try await notes.write {
      try await service.save(note)
      shown.append(note)
      draft.edits += 1  // still on the main actor; `draft` is not Sendable
    }
  }

  func saveLater(_ note: Note) {  // from a synchronous callback; the place is taken here
    notes.submitWrite(name: "save \(note.id)") {
      try await self.service.save(note)
      self.shown.append(note)
    }
  }

  func logOut() async throws {
    notes.close()
    notes.cancelAll()
    try await notes.drain()  // nothing lands after this line
    print(notes.snapshot.waiting)
  }
}

nonisolated enum Topic: Hashable, Sendable {
  case all
  case note(Int)
}

/// The same around an actor: the closures run on it.
actor NotesStore {
  let service: any NotesService
  nonisolated let line = CoalescingTaskExecutor<Topic>(name: "store", capacity: 100, maximumConcurrentReads: 4) {
    print($0)
  }
  var fetched = 0

  init(service: any NotesService) { self.service = service }

  func all() async throws -> [Note] {
    try await line.read(.all, name: "all", priority: .userInitiated) {
      let notes = try await self.service.fetchNotes()
      self.fetched += 1  // isolated to the actor
      return notes
    }
  }

  func save(_ note: Note) async throws(NotesError) {
    try await line.write(name: "save", rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
      try await service.save(note)
      fetched = 0  // isolated to the actor, no hop
    }
  }

  nonisolated func saveLater(_ note: Note) -> SubmittedJob<Int> {
    line.submitWrite(priority: .utility) { [service] in
      try await service.save(note)
      return note.id
    }
  }
}

/// A repository that is a value, and its executor an argument with a default.
nonisolated struct NotesGateway: Sendable {
  let service: any NotesService
  var line = CoalescingTaskExecutor<Topic>()

  func all() async throws -> [Note] { try await line.read(.all) { [service] in try await service.fetchNotes() } }

  func replace(_ note: Note) async throws -> [Note] {
    try await line.write {
      try await service.save(note)
      return try await line.read(.all) { [service] in try await service.fetchNotes() }  // a part of the write
    }
  }
}

func reading() async throws {
  let line = CoalescingTaskExecutor<String>(name: "line", maximumConcurrentReads: 1)
  let number: Int = try await line.read("answer") { 42 }
  let token: Token = try await line.write { Token(id: number) }
  _ = consume token
  let job = line.submitWrite { "saved" }
  print(try await job.value, line.isInJob, line.name ?? "")
  line.pause()
  line.resume()
  let snapshot = line.snapshot
  print(snapshot.waiting, snapshot.running, snapshot.runningJob ?? "none, or several")
  do { try await line.read("answer") { try await line.write {} } } catch JobRejection.deadlock(let deadlock) {
    print(deadlock.path)
  }
  let draft = Draft()
  try await line.write { draft.edits += 1 }
  do throws(NotesError) {
    print(try await line.read("typed", rejectedAs: NotesError.unavailable) { () async throws(NotesError) in 1 })
  } catch { print(error) }
}
