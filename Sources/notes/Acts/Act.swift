/// One thing the demonstration shows.
///
/// To add one is to write a type and to name it in ``ActName``.
protocol Act {
  /// Plays it and shows what came of it, a panel at a time.
  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal)
}

/// What acts need of the world around them.
struct Stage {
  let console: Console
  /// A path of its own for temporary stores.
  let scratch: String
  var interruption = Interruption()

  /// A temporary store with the same content as another.
  func copy(of store: NoteStore, named name: String) throws(Refusal) -> NoteStore {
    let copy = try StoreOpening.open("\(scratch)/\(name)")
    try fill(copy, with: try notes(in: store))
    return copy
  }

  func fill(_ store: NoteStore, with notes: [Note]) throws(Refusal) {
    do throws(NotesError) {
      for note in notes { try store.write(note) }
    } catch { throw Refusal(.cannotCreate, "the store \(store.folder.path) cannot be filled: \(error)") }
  }

  func notes(in store: NoteStore) throws(Refusal) -> [Note] {
    do throws(NotesError) { return try store.all() } catch {
      throw Refusal(.wrong, "the store \(store.folder.path) cannot be read: \(error)")
    }
  }
}
