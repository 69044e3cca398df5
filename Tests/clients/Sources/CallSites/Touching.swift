import CoalescingTasks

// Writes that say what they touch, and jobs over several keys.

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

nonisolated func transfer(_ bank: KeyedSerialTaskExecutor<String>) async throws {
  let moved = try await bank.enqueue(forAll: ["ann", "bob"], name: "transfer") { 10 }
  bank.submit(forAll: ["bob", "ann"]) { print(moved) }
  bank.submit(forAll: Set(["bob", "ann"])) { print(moved) }
  let wide = KeyedSerialTaskExecutor<String>(name: "tenants", maximumConcurrentJobs: 32)
  try await wide.enqueue(for: "ann") {}
}

// A draft that is written when the typing pauses, and at the latest after two seconds.
nonisolated struct Typed: Sendable {
  let id: Int
  let text: String
}

nonisolated func typed(
  _ draft: Typed, _ notes: CoalescingTaskExecutor<Int>, save: @escaping @Sendable (Typed) async throws -> Void
) {
  notes.submitWrite(latest: draft.id, touching: [draft.id], after: .milliseconds(300), atMost: .seconds(2)) {
    try await save(draft)
  }
}
