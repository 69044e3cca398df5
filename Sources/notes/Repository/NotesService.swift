/// Notes as the rest of an app sees them: whatever keeps the calls in order, a failure is a ``NotesError`` and nothing else.
protocol NotesService: Sendable {
  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note
  func readAll(taking time: Duration) async throws(NotesError) -> [Note]
  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError)
  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError)
  func delete(_ id: Int, taking time: Duration) async throws(NotesError)
}

extension NotesService {
  /// Performs a call that was read from a script.
  func perform(_ call: Call, taking time: Duration) async -> Outcome {
    do throws(NotesError) {
      switch call {
      case .read(let id): return .success(.note(try await read(id, taking: time)))
      case .readAll: return .success(.notes(try await readAll(taking: time)))
      case .add(let id, let text): try await add(id, text: text, taking: time)
      case .update(let id, let text): try await update(id, text: text, taking: time)
      case .delete(let id): try await delete(id, taking: time)
      }
      return .success(.done)
    } catch { return .failure(error) }
  }
}
