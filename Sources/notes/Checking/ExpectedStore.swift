/// What a store holds after calls that were made one after the other: the promise, without tasks, time or files.
struct ExpectedStore: Equatable {
  private var notesByID: [Int: Note]

  init(_ notes: [Note]) {
    notesByID = Dictionary(notes.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
  }

  /// By ascending number.
  var notes: [Note] { notesByID.values.sorted { $0.id < $1.id } }

  subscript(id: Int) -> Note? { notesByID[id] }

  /// Makes the call.
  ///
  /// - Returns: What it must answer.
  mutating func perform(_ call: Call) -> Outcome {
    switch call {
    case .read(let id): return notesByID[id].map { .success(.note($0)) } ?? .failure(.missing(id))
    case .readAll: return .success(.notes(notes))
    case .add(let id, let text):
      guard notesByID[id] == nil else { return .failure(.exists(id)) }
      notesByID[id] = Note(id: id, text: text)
    case .update(let id, let text):
      guard let note = notesByID[id] else { return .failure(.missing(id)) }
      notesByID[id] = Note(id: id, text: text, edits: note.edits + 1)
    case .delete(let id):
      guard notesByID.removeValue(forKey: id) != nil else { return .failure(.missing(id)) }
    }
    return .success(.done)
  }
}
