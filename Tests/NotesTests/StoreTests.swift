import Foundation
import Testing

@testable import notes

@Suite(.watched) struct StoreTests {
  @Test func notesAreFilesAndComeBackAsTheyWere() throws {
    let folder = try TemporaryFolder()
    let store = try StoreOpening.open("\(folder.path)/made/for/it")
    let notes = [Note(id: 0, text: "é/\"\n", edits: 2), Note(id: 10, text: ""), Note(id: 9, text: "x")]
    for note in notes { try store.write(note) }
    #expect(try store.all() == [notes[0], notes[2], notes[1]])
    try store.remove(9)
    #expect(throws: NotesError.missing(9)) { try store.note(9) }
    #expect(try StoreOpening.open("\(folder.path)/made/for/it").ids() == [0, 10])
    #expect(try store.visibleFiles().sorted() == ["0.json", "10.json"])
  }

  @Test func onlyNamesThatTheStoreGivesAreNotes() {
    let names = ["1.json", "01.json", "-1.json", "+1.json", "1.JSON", "a.json", ".json", "1"]
    #expect(names.map(NoteStore.id(ofFile:)) == [1, nil, nil, nil, nil, nil, nil, nil])
  }

  // Fails if: a folder is taken that the calls would spoil or could not be checked in.
  @Test(arguments: [
    ("letter.txt", "", "which is not a note"),
    ("1.json", "{", "not a note"),
    ("1.json", "{\"id\":2,\"text\":\"\",\"edits\":0}", "another note’s"),
  ])
  func aFolderWithOtherThingsIsRefused(name: String, text: String, reason: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(name, text)
    let refusal = #expect(throws: Refusal.self) { try StoreOpening.open(folder.path) }
    #expect(refusal?.status == .cannotCreate)
    #expect(refusal?.lines.first?.contains(reason) == true)
    #expect(refusal?.lines.first?.contains(name) == true)
    #expect(folder.files == [name])
  }

  @Test func hiddenFilesAreIgnored() throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(".DS_Store", "")
    #expect(try StoreOpening.open(folder.path).all() == [])
  }

  @Test(arguments: ["", "/below"]) func aFileIsNoStore(below: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("file", "text")
    let refusal = #expect(throws: Refusal.self) { try StoreOpening.open(file + below) }
    #expect(refusal?.status == .cannotCreate)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "text")
  }
}
