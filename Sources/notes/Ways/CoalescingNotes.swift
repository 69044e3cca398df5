import SerialTasks

/// The repository, wrapped once: equal reads merge, writes stay in order, and no read misses a write asked for before it.
struct CoalescingNotes: NotesService {
  /// What is read and written.
  enum Key: Hashable {
    case note(Int)
    case all
  }

  /// What a write touches, and so what waits for it.
  enum Touching {
    case everything
    /// The list shows what is written, so it must be named: a list that is read meanwhile, or joined, would be an old one.
    ///
    /// So writes wait for each other, whatever they write.
    case noteAndList
    /// Writes of different notes do not wait for each other. The list is then read by a job that touches everything.
    case note
  }

  private let service: any NotesService
  private let touching: Touching
  private let line: CoalescingTaskExecutor<Key>

  init(
    _ service: any NotesService, touching: Touching = .everything, onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.service = service
    self.touching = touching
    line = CoalescingTaskExecutor(name: "notes", onEvent: onEvent)
  }

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    try await shared(.note(id)) { [service] () async throws(NotesError) in try await service.read(id, taking: time) }
  }

  func readAll(taking time: Duration) async throws(NotesError) -> [Note] {
    if touching == .note {
      return try await alone { () async throws(NotesError) in try await service.readAll(taking: time) }
    }
    return try await shared(.all) { [service] () async throws(NotesError) in try await service.readAll(taking: time) }
  }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await written(id) { () async throws(NotesError) in try await service.add(id, text: text, taking: time) }
  }

  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await written(id) { () async throws(NotesError) in try await service.update(id, text: text, taking: time) }
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    try await written(id) { () async throws(NotesError) in try await service.delete(id, taking: time) }
  }
}

extension CoalescingNotes {
  private func shared<Value: Sendable>(
    _ key: Key, _ operation: @escaping @Sendable () async throws(NotesError) -> Value
  ) async throws(NotesError) -> Value {
    try await line.read(key, name: Caller.current?.name, rejectedAs: NotesError.unavailable, operation)
  }

  private func written(
    _ id: Int, _ job: nonisolated(nonsending) () async throws(NotesError) -> Void
  ) async throws(NotesError) {
    switch touching {
    case .everything: try await alone(job)
    case .noteAndList: try await touched([.note(id), .all], job)
    case .note: try await touched([.note(id)], job)
    }
  }

  private func touched(
    _ keys: [Key], _ job: nonisolated(nonsending) () async throws(NotesError) -> Void
  ) async throws(NotesError) {
    try await line.write(
      touching: keys, name: Caller.current?.name, rejectedAs: NotesError.unavailable, job)
  }

  private func alone<Value: Sendable>(
    _ job: nonisolated(nonsending) () async throws(NotesError) -> Value
  ) async throws(NotesError) -> Value {
    try await line.write(name: Caller.current?.name, rejectedAs: NotesError.unavailable, job)
  }
}
