/// The notes as an app would keep them: an actor, the way one writes it first.
///
/// Every method awaits in the middle, as one that talks to a server does, and at every `await` an actor lets its other
/// callers in. So nothing here is wrong for one caller, and for several at once only if something outside keeps them in order.
/// The same repository is played in every way; nothing in it knows which.
actor NotesRepository: NotesService {
  private let store: NoteStore
  private let clock = ContinuousClock()

  init(store: NoteStore) { self.store = store }

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    let note = try store.note(id)
    await pause(time)
    return note
  }

  /// Reads in two pages, like a backend that does not hand out everything at once.
  func readAll(taking time: Duration) async throws(NotesError) -> [Note] {
    let ids = try store.ids()
    let firstPage = ids.prefix(ids.count / 2)
    var notes: [Note] = []
    for id in firstPage { notes.append(try store.note(id)) }
    await pause(time / 2)
    let last = firstPage.last ?? -1
    for id in try store.ids() where id > last { notes.append(try store.note(id)) }
    await pause(time / 2)
    return notes
  }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    guard !store.holds(id) else { throw .exists(id) }
    await pause(time)
    try store.write(Note(id: id, text: text))
  }

  /// Reads the note, changes it, and writes it back.
  ///
  /// What happens to the note in between is overwritten.
  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    var note = try store.note(id)
    await pause(time)
    note.text = text
    note.edits += 1
    try store.write(note)
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    guard store.holds(id) else { throw .missing(id) }
    await pause(time)
    try store.remove(id)
  }

  private func pause(_ time: Duration) async {
    let caller = Caller.current
    caller?.placed.open()
    // Who is cancelled does not sleep on, but does its work.
    if time > .zero { try? await clock.sleep(for: time) }
    await caller?.moment.pass()
  }
}
