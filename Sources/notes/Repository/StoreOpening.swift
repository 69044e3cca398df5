import Foundation

/// Finding or making the folder of a store, and refusing one that could not be played on, before anything is played.
enum StoreOpening {
  /// A store in the folder at this path, which is made if it is missing.
  ///
  /// Notes that are there already are welcome: they are the initial content. Anything else that is visible there makes this
  /// refuse, for a folder that holds other things was most likely named by mistake.
  static func open(_ path: String) throws(Refusal) -> NoteStore {
    let store = NoteStore(folder: URL(fileURLWithPath: path, isDirectory: true))
    try makeFolder(path)
    try checkWritable(store.folder, path)
    try checkContent(store, path)
    return store
  }

  /// A path for temporary files that nothing else has.
  static func freshTemporaryPath() -> String {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString.prefix(8).lowercased())", isDirectory: true).path
  }

  static func removeTemporary(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private static func makeFolder(_ path: String) throws(Refusal) {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      if isFolder.boolValue { return }
      throw unusable(path, "it is a file")
    }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch { throw unusable(path, PlainReason.of(error)) }
  }

  /// Tries it, because permission bits are not all there is to it.
  private static func checkWritable(_ folder: URL, _ path: String) throws(Refusal) {
    let probe = folder.appendingPathComponent(".notes-\(UUID().uuidString)", isDirectory: false)
    do {
      try Data().write(to: probe, options: .atomic)
      try FileManager.default.removeItem(at: probe)
    } catch { throw unusable(path, PlainReason.of(error)) }
  }

  private static func checkContent(_ store: NoteStore, _ path: String) throws(Refusal) {
    let names: [String]
    do throws(NotesError) { names = try store.visibleFiles() } catch { throw unusable(path, "\(error)") }
    for name in names.sorted() {
      let shown = Printable.text(name)
      guard let id = NoteStore.id(ofFile: name) else {
        throw unusable(path, "it holds “\(shown)”, which is not a note; name an empty folder, or one of notes")
      }
      do throws(NotesError) {
        if try store.note(id).id != id { throw .storage("it is another note’s") }
      } catch { throw unusable(path, "it holds “\(shown)”, which cannot be taken for a note: \(error)") }
    }
  }

  private static func unusable(_ path: String, _ reason: String) -> Refusal {
    Refusal(.cannotCreate, "the store \(path) cannot be used: \(reason)")
  }
}
