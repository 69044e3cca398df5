import SerialTasks

/// The repository with one call at a time, in the order in which they were asked for.
struct SerialNotes: NotesService {
  private let service: any NotesService
  private let line: SerialTaskExecutor

  init(_ service: any NotesService, onEvent: (@Sendable (TaskEvent) -> Void)? = nil) {
    self.service = service
    line = SerialTaskExecutor(name: "notes", onEvent: onEvent)
  }

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    try await inTurn { () async throws(NotesError) in try await service.read(id, taking: time) }
  }

  func readAll(taking time: Duration) async throws(NotesError) -> [Note] {
    try await inTurn { () async throws(NotesError) in try await service.readAll(taking: time) }
  }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await inTurn { () async throws(NotesError) in try await service.add(id, text: text, taking: time) }
  }

  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await inTurn { () async throws(NotesError) in try await service.update(id, text: text, taking: time) }
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    try await inTurn { () async throws(NotesError) in try await service.delete(id, taking: time) }
  }

  private func inTurn<Value: Sendable>(
    _ job: nonisolated(nonsending) () async throws(NotesError) -> Value
  ) async throws(NotesError) -> Value {
    try await line.enqueue(name: Caller.current?.name, rejectedAs: NotesError.unavailable, job)
  }
}
