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

nonisolated struct TouchedNote: Sendable, Hashable { var id: Int; var text: String }
nonisolated enum TouchingError: Error { case unavailable(JobRejection), missing(Int) }
nonisolated protocol TouchingService: Sendable {
  func save(_ note: TouchedNote) async throws(TouchingError)
  func fetch(_ id: Int) async throws -> TouchedNote
}
nonisolated enum NoteKey: Hashable { case all, note(Int) }

@MainActor final class TouchingModel {
  let service: any TouchingService
  let notes = CoalescingTaskExecutor<NoteKey>(name: "notes")
  var shown: [Int: TouchedNote] = [:]

  init(service: any TouchingService) { self.service = service }

  func save(_ note: TouchedNote) async throws(TouchingError) {
    try await notes.write(touching: [.note(note.id), .all], rejectedAs: TouchingError.unavailable) {
      () async throws(TouchingError) in
      try await service.save(note)
      shown[note.id] = note
    }
  }

  func rename(_ note: TouchedNote) async throws {
    try await notes.write(touching: [.note(note.id), .all]) { try await service.save(note) }
  }

  func typed(_ note: TouchedNote) {
    notes.submitWrite(latest: .note(note.id), touching: [.note(note.id), .all]) { try await self.service.save(note) }
  }

  func importAll() { notes.submitWrite(touching: [.all]) { self.shown = [:] } }
}

@MainActor final class LimitedModel {
  let notes = CoalescingTaskExecutor<Int>(name: "notes")
  var shown: [Int: String] = [:]

  func save(_ text: String, as id: Int) async throws {
    try await notes.write(touching: [id], waitingAtMost: .seconds(2)) { shown[id] = text }
    try await notes.write(waitingAtMost: .seconds(2)) { shown[id] = text }
  }

  func load(_ id: Int) async throws -> String { try await notes.read(id, waitingAtMost: .seconds(2)) { "note \(id)" } }
}

enum BusyError: Error { case busy(JobRejection) }

nonisolated func typed(_ line: SerialTaskExecutor) async throws(BusyError) -> Int {
  try await line.enqueue(name: "count", waitingAtMost: .zero, rejectedAs: BusyError.busy) {
    () async throws(BusyError) in 1
  }
}

// One call, with a limit or without.
nonisolated func perhapsLimited(
  _ line: SerialTaskExecutor, _ bank: KeyedSerialTaskExecutor<String>, _ notes: CoalescingTaskExecutor<Int>,
  _ limit: Duration?
) async throws {
  try await line.enqueue(waitingAtMost: limit) {}
  try await bank.enqueue(for: "ann", waitingAtMost: limit) {}
  try await bank.enqueue(touching: ["ann", "bob"], waitingAtMost: limit) {}
  try await notes.write(waitingAtMost: limit) {}
  try await notes.write(touching: [1], waitingAtMost: limit) {}
  _ = try await notes.read(1, waitingAtMost: limit) { 1 }
}
