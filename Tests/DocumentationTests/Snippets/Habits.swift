// For those who come from an executor of their own, and from flights.
import CoalescingTasks

enum ExecutorAfter {
  actor NotesRepository {
    let service: any NotesService
    let queue = SerialTaskExecutor(name: "notes")

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] {
      try await queue.enqueue { try await service.fetchNotes() }
    }

    func save(_ note: Note) async throws {
      try await queue.enqueue { try await service.save(note) }
    }
  }
}

enum FlightAfter {
  struct ProfileService {
    let api: API
    let coalescer = TaskCoalescer<String, Profile>(name: "profiles")

    func profile(of id: String) async throws -> Profile {
      try await coalescer.value(for: id) { try await api.profile(of: id) }
    }
  }
}

enum SingleFlightUse {
  static func use(_ api: API, _ id: String) async throws -> (Profile, Bool) {
    let group = TaskCoalescer<String, Profile>(name: "profiles", joinWindow: .seconds(10))

    // group.Do(id, …)
    let answer = try await group.answer(for: id) { try await api.profile(of: id) }
    let isShared = answer.source == .joined  // of this caller, not of the operation

    // group.Forget(id): later callers start afresh, present ones get their answer
    group.invalidate(id)
    return (answer.value, isShared)
  }
}
