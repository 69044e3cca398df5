import SerialTasks

/// The repository, wrapped once: equal reads merge, writes stay in order, and no read misses a write asked for before it.
struct CoalescingNotes: NotesService {
  /// What is read; a write needs no key, for it runs alone, whatever it writes.
  private enum Key: Hashable {
    case note(Int)
    case all
  }

  private let service: any NotesService
  private let line: CoalescingTaskExecutor<Key>

  init(_ service: any NotesService, onEvent: (@Sendable (TaskEvent) -> Void)? = nil) {
    self.service = service
    line = CoalescingTaskExecutor(name: "notes", onEvent: onEvent)
  }

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    try await shared(.note(id)) { [service] () async throws(NotesError) in try await service.read(id, taking: time) }
  }

  func readAll(taking time: Duration) async throws(NotesError) -> [Note] {
    try await shared(.all) { [service] () async throws(NotesError) in try await service.readAll(taking: time) }
  }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await alone { () async throws(NotesError) in try await service.add(id, text: text, taking: time) }
  }

  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await alone { () async throws(NotesError) in try await service.update(id, text: text, taking: time) }
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    try await alone { () async throws(NotesError) in try await service.delete(id, taking: time) }
  }
}

extension CoalescingNotes {
  private func shared<Value: Sendable>(
    _ key: Key, _ operation: @escaping @Sendable () async throws(NotesError) -> Value
  ) async throws(NotesError) -> Value {
    try await line.read(key, name: Caller.current?.name, rejectedAs: NotesError.unavailable, operation)
  }

  private func alone(
    _ job: nonisolated(nonsending) () async throws(NotesError) -> Void
  ) async throws(NotesError) {
    try await line.write(name: Caller.current?.name, rejectedAs: NotesError.unavailable, job)
  }
}
