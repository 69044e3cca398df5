// What the snippets of README, articles and doc comments talk about: a service of notes, an API, a bank.
import SerialTasks
import SerialTasksTesting
import Synchronization

nonisolated struct Note: Hashable, Sendable {
  var id: Int
  var text = ""
}

nonisolated struct Profile: Hashable, Sendable { var name: String }

nonisolated enum NotesError: Error, Equatable {
  case missing(Int)
  case unavailable(JobRejection)
}

protocol NotesService: Sendable {
  func fetchNotes() async throws(NotesError) -> [Note]
  func fetchNote(_ id: Int) async throws(NotesError) -> Note
  func save(_ note: Note) async throws(NotesError)
}

/// Keeps notes, and holds a read or a write at a gate if it has one.
nonisolated final class FakeService: NotesService {
  private let notes = Mutex<[Int: Note]>([:])
  let reading: Gate?
  let saving: Gate?

  init(reading: Gate? = nil, saving: Gate? = nil) {
    self.reading = reading
    self.saving = saving
  }

  func fetchNotes() async throws(NotesError) -> [Note] {
    let seen = read { $0.values.sorted { $0.id < $1.id } }
    await reading?.pass()
    return seen
  }

  func fetchNote(_ id: Int) async throws(NotesError) -> Note {
    let note = read { $0[id] }
    await reading?.pass()
    guard let note else { throw .missing(id) }
    return note
  }

  func save(_ note: Note) async throws(NotesError) {
    await saving?.pass()
    notes.withLock { $0[note.id] = note }
  }

  private func read<Result: Sendable>(_ body: ([Int: Note]) -> Result) -> Result { notes.withLock { body($0) } }
}

/// Answers for a user, and counts what it is asked.
nonisolated final class API: Sendable {
  struct Busy: Error {}

  private let counted = Mutex(0)
  private let kept = Mutex<[String]>([])
  let gate: Gate?

  init(gate: Gate? = nil) { self.gate = gate }

  var calls: Int { counted.withLock { $0 } }

  func profile(of id: String) async throws -> Profile {
    counted.withLock { $0 += 1 }
    await gate?.pass()
    return Profile(name: id)
  }

  func deposit(_ amount: Int, for id: String) async throws { kept.withLock { $0.append("\(id) \(amount)") } }
  func save(_ text: String) async throws { kept.withLock { $0.append(text) } }
  func notes() async throws -> [String] { kept.withLock { $0 } }

  func send(_ order: Int) async throws -> String {
    try await save("order \(order)")
    return "sent \(order)"
  }

  func page(_ page: Int, of account: String) async throws -> String {
    await gate?.pass()
    return "\(account) \(page)"
  }
}

/// What happened, in the order in which it happened.
nonisolated final class Log: Sendable {
  private let kept = Mutex<[String]>([])

  func callAsFunction(_ entry: String) { kept.withLock { $0.append(entry) } }
  var entries: [String] { kept.withLock { $0 } }
}

/// Opened once.
nonisolated struct Connection: Equatable, Sendable { let number: Int }
