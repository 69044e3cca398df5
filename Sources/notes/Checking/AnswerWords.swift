/// Outcomes in a few words, for rows and for hovering.
extension Outcome {
  var words: String {
    switch self {
    case .success(.done): "done"
    case .success(.note(let note)): "note \(note.id), edited \(note.edits)×"
    case .success(.notes(let notes)): Self.words(notes)
    case .failure(let error): "failed: \(error)"
    }
  }

  private static func words(_ notes: [Note]) -> String {
    guard !notes.isEmpty else { return "no notes" }
    guard notes.count <= 6 else { return Count.of(notes.count, "note") }
    return (notes.count == 1 ? "only note " : "notes ")
      + notes.map { $0.edits == 0 ? "\($0.id)" : "\($0.id) edited \($0.edits)×" }.joined(separator: ", ")
  }
}
