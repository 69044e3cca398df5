/// The repository, watched: when it was asked on whose behalf, and when it had answered.
struct WatchedNotes: NotesService {
  let service: any NotesService
  let journal: Journal

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    try await watched { () async throws(NotesError) in try await service.read(id, taking: time) }
  }

  func readAll(taking time: Duration) async throws(NotesError) -> [Note] {
    try await watched { () async throws(NotesError) in try await service.readAll(taking: time) }
  }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await watched { () async throws(NotesError) in try await service.add(id, text: text, taking: time) }
  }

  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await watched { () async throws(NotesError) in try await service.update(id, text: text, taking: time) }
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    try await watched { () async throws(NotesError) in try await service.delete(id, taking: time) }
  }

  private func watched<Value>(
    _ operation: () async throws(NotesError) -> Value
  ) async throws(NotesError) -> Value {
    guard let caller = Caller.current else { return try await operation() }
    journal.began(caller)
    let result: Result<Value, NotesError>
    do throws(NotesError) { result = .success(try await operation()) } catch { result = .failure(error) }
    // What fails at once does not pause in the repository.
    caller.placed.open()
    await caller.moment.pass()
    journal.ended(caller)
    return try result.get()
  }
}
