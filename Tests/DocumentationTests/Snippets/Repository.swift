// The steps of the article on wrapping a repository.
import CoalescingTasks

enum PlainActor {
  actor NotesRepository {
    let service: any NotesService
    private(set) var saved: [Note] = []

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] { try await service.fetchNotes() }

    func save(_ note: Note) async throws {
      try await service.save(note)  // others come in here
      saved.append(note)
    }

    func append(_ text: String, to id: Int) async throws {
      var note = try await service.fetchNote(id)
      note.text += text  // another call may have saved this note since it was read
      try await service.save(note)
    }
  }
}

enum OrderedWrites {
  actor NotesRepository {
    let service: any NotesService
    let line = SerialTaskExecutor(name: "notes")
    private(set) var saved: [Note] = []

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] {
      try await line.enqueue { try await service.fetchNotes() }
    }

    func save(_ note: Note) async throws {
      try await line.enqueue {
        try await service.save(note)
        saved.append(note)  // still on the actor, like the caller
      }
    }

    func append(_ text: String, to id: Int) async throws {
      try await line.enqueue {
        var note = try await service.fetchNote(id)
        note.text += text  // no other job has the turn
        try await service.save(note)
      }
    }
  }
}

enum MergedReads {
  actor NotesRepository {
    enum Key: Hashable { case all, note(Int) }

    let service: any NotesService
    let line = CoalescingTaskExecutor<Key>(name: "notes")
    private(set) var saved: [Note] = []

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] {
      try await line.read(.all) { [service] in try await service.fetchNotes() }
    }

    func note(_ id: Int) async throws -> Note {
      try await line.read(.note(id)) { [service] in try await service.fetchNote(id) }
    }

    func save(_ note: Note) async throws {
      try await line.write {
        try await service.save(note)
        saved.append(note)
      }
    }

    func append(_ text: String, to id: Int) async throws {
      try await line.write {
        var note = try await note(id)  // part of the turn: it runs at once
        note.text += text
        try await service.save(note)
      }
    }
  }
}

enum TouchingWrites {
  actor NotesRepository {
    enum Key: Hashable { case all, note(Int) }

    let service: any NotesService
    let line = CoalescingTaskExecutor<Key>(name: "notes")
    private(set) var saved: [Note] = []

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] {
      try await line.read(.all) { [service] in try await service.fetchNotes() }
    }

    func note(_ id: Int) async throws -> Note {
      try await line.read(.note(id)) { [service] in try await service.fetchNote(id) }
    }

    func save(_ note: Note) async throws {
      try await line.write(touching: [.note(note.id), .all]) {
        try await service.save(note)
        saved.append(note)
      }
    }

    func append(_ text: String, to id: Int) async throws {
      try await line.write(touching: [.note(id), .all]) {
        var note = try await note(id)  // runs at once: the turn touches this key
        note.text += text
        try await service.save(note)
      }
    }

    func importNotes(_ notes: [Note]) async throws {
      try await line.write {  // touches every key, and so waits for all and stops all
        for note in notes { try await service.save(note) }
      }
    }

    nonisolated func typed(_ note: Note) {
      line.submitWrite(latest: .note(note.id), touching: [.note(note.id), .all]) {
        [service] in
        try await service.save(note)
      }
    }
  }
}

enum TypedErrors {
  actor NotesRepository {
    enum Key: Hashable { case all, note(Int) }

    let service: any NotesService
    let line = CoalescingTaskExecutor<Key>(
      name: "notes", capacity: 1_000, maximumConcurrentReads: 4)

    init(service: any NotesService) { self.service = service }

    func note(_ id: Int) async throws(NotesError) -> Note {
      try await line.read(.note(id), rejectedAs: NotesError.unavailable) {
        [service] () async throws(NotesError) in
        try await service.fetchNote(id)
      }
    }

    func append(_ text: String, to id: Int) async throws(NotesError) {
      try await line.write(rejectedAs: NotesError.unavailable) {
        () async throws(NotesError) in
        var note = try await note(id)
        note.text += text
        try await service.save(note)
      }
    }
  }
}

extension TypedErrors.NotesRepository {
  func save(_ note: Note) async throws(NotesError) {
    try await line.write(rejectedAs: NotesError.unavailable) {
      () async throws(NotesError) in
      try await service.save(note)
    }
  }
}

enum MainActorModel {
  @MainActor final class NotesModel {
    nonisolated enum Key: Hashable { case all }

    let line = CoalescingTaskExecutor<Key>(name: "notes")
    private let service: any NotesService
    private(set) var shown: [Note] = []

    init(service: any NotesService) { self.service = service }

    func load() async throws {
      try await line.read(.all) { @MainActor in
        self.shown = try await self.service.fetchNotes()  // assigned inside the read
      }
    }

    func save(_ note: Note) async throws {
      try await line.write {
        try await service.save(note)
        shown.append(note)  // on the main actor, like the caller
      }
    }
  }
}
