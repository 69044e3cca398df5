import Foundation

/// A folder with one JSON file a note.
///
/// All of it is synchronous: whatever can go wrong between two calls goes wrong in the repository that awaits between them,
/// not here. Files are written next to their place and moved into it, so a run that is stopped in the middle leaves no half
/// of a note.
struct NoteStore: Sendable {
  let folder: URL

  func holds(_ id: Int) -> Bool { FileManager.default.fileExists(atPath: file(id).path) }

  /// The notes' numbers, in ascending order.
  func ids() throws(NotesError) -> [Int] {
    try visibleFiles().compactMap(Self.id(ofFile:)).sorted()
  }

  func note(_ id: Int) throws(NotesError) -> Note {
    guard holds(id) else { throw .missing(id) }
    return try Self.orStorageError {
      try JSONDecoder().decode(Note.self, from: Data(contentsOf: file(id)))
    }
  }

  /// Every note, by ascending number.
  func all() throws(NotesError) -> [Note] {
    var notes: [Note] = []
    for id in try ids() { notes.append(try note(id)) }
    return notes
  }

  func write(_ note: Note) throws(NotesError) {
    try Self.orStorageError {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(note).write(to: file(note.id), options: .atomic)
    }
  }

  func remove(_ id: Int) throws(NotesError) {
    guard holds(id) else { throw .missing(id) }
    try Self.orStorageError { try FileManager.default.removeItem(at: file(id)) }
  }
}

// MARK: - Files

extension NoteStore {
  /// The folder's files but for hidden ones, which belong to the system or are what a stopped run left.
  func visibleFiles() throws(NotesError) -> [String] {
    try Self.orStorageError {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    }
  }

  /// The number of the note that a file of this name holds, if it is a name this store gives.
  static func id(ofFile name: String) -> Int? {
    guard name.hasSuffix(".json"), let id = Int(name.dropLast(5)), id >= 0, name == "\(id).json" else { return nil }
    return id
  }

  private func file(_ id: Int) -> URL { folder.appendingPathComponent("\(id).json", isDirectory: false) }

  private static func orStorageError<Value>(_ body: () throws -> Value) throws(NotesError) -> Value {
    do { return try body() } catch { throw .storage(PlainReason.of(error)) }
  }
}
