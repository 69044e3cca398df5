import Foundation
import Testing

@testable import notes

/// The program from its arguments to its status.
@Suite(.watched) struct ProgramTests {
  private let folder: TemporaryFolder
  private let transcript = Transcript()

  init() throws { folder = try TemporaryFolder() }

  @Test func withoutArgumentsItShowsEveryActAndAllThatMustBeRightIs() async throws {
    let store = "\(folder.path)/store"
    let page = "\(folder.path)/page.html"
    let status = await transcript.run(["--store", store, "--html", page])
    #expect(status == .right)
    #expect(transcript.errors.isEmpty)
    let parts = [
      "plain actor", "SerialTaskExecutor", "░", "█", "▚", "✓ Right: ", "notes → audit → notes",
      "coalescing: A screen", "○ goes wrong, or costs more: shown to compare", "In short", "✓ reloading: Five stories",
      "Where to go next",
    ]
    for part in parts {
      #expect(transcript.output.contains(part))
    }
    #expect(!transcript.output.contains("\u{1B}"))
    #expect(transcript.output.contains("Read back, the store holds 3 notes: exactly what the 7 calls in order produce"))
    let kept = try StoreOpening.open(store).all().map(\.text)
    #expect(kept == ["Call Ann", "Water the plants", "Book the train"])
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("notes → audit → notes"))
    #expect(folder.files == ["page.html", "store"])
  }

  // Fails if: an act opens a store that it does not need, or another act is played as well.
  @Test func anActByNameIsPlayedAlone() async {
    #expect(await transcript.run(["--act", "reentrancy"]) == .right)
    #expect(transcript.output.hasPrefix("\nreentrancy: A call that would wait for itself\n"))
    for act in ActName.allCases where act != .reentrancy { #expect(!transcript.output.contains("\(act.rawValue): ")) }
    #expect(!transcript.output.contains("The notes are kept in"))
    #expect(!transcript.output.contains("Where to go next"))
  }

  // Fails if: the calls touch, or the check forgets, what was in the store before.
  @Test func notesThatWereThereStayAndArePartOfWhatIsChecked() async throws {
    let store = try StoreOpening.open("\(folder.path)/store")
    let mine = [Note(id: 2, text: "mine"), Note(id: 40, text: "also mine", edits: 8)]
    for note in mine { try store.write(note) }
    #expect(await transcript.run(["--store", store.folder.path]) == .right)
    #expect(try store.all().filter { mine.contains($0) } == mine)
    #expect(try store.ids() == [2, 3, 4, 5, 40])
  }

  @Test func aScriptIsPlayedInItsOrderFailingCallsIncluded() async throws {
    let script = try folder.file(
      "s.jsonl",
      """
      {"at": 0.02, "call": "readAll"}
      {"at": 0.0, "call": "add", "id": 1, "text": "a", "takes": 0.02}
      {"at": 0.0, "call": "update", "id": 1, "text": "b"}
      {"at": 0.0, "call": "update", "id": 1, "text": "c", "takes": 0.01}
      {"at": 0.0, "call": "delete", "id": 7}
      {"at": 0.0, "call": "add", "id": 2, "text": "d"}
      """)
    let store = "\(folder.path)/store"
    #expect(await transcript.run(["--script=\(script)", "--store=\(store)"], isColoured: true) == .right)
    #expect(try StoreOpening.open(store).all() == [Note(id: 1, text: "c", edits: 2), Note(id: 2, text: "d")])
    #expect(transcript.output.contains("Line 5, call 4 (delete 7), failed, as it must: there is no note 7."))
    #expect(transcript.output.contains("\u{1B}[36m"))
  }

  // Fails if: the plain actor is let near a store that was named.
  @Test func thePlainActorPlaysAScriptOnACopy() async throws {
    let store = try StoreOpening.open("\(folder.path)/store")
    try store.write(Note(id: 1, text: "mine"))
    let script = try folder.file("s.jsonl", "{\"call\": \"delete\", \"id\": 1}")
    let arguments = ["--script", script, "--store", store.folder.path]
    #expect(await transcript.run(arguments + ["--through", "actor"]) == .right)
    #expect(transcript.output.contains("Read back, the store holds 0 notes"))
    #expect(transcript.output.contains("It had a copy of the store, which itself is as it was."))
    #expect(try store.ids() == [1])
    #expect(await transcript.run(arguments) == .right)
    #expect(try store.ids() == [])
  }

  @Test func manyCallsArePlayedWithProgress() async throws {
    let lines = (0..<600).map { index in
      let call = ["add", "update", "read", "delete"][index % 4]
      return "{\"at\": 0, \"call\": \"\(call)\", \"id\": \(index / 4 % 25), \"text\": \"\(index)\"}"
    }
    let script = try folder.file("s.jsonl", lines.joined(separator: "\n"))
    #expect(await transcript.run(["--script", script]) == .right)
    for tenth in 1...10 { #expect(transcript.complaints.contains("\(60 * tenth) of 600 calls played, ")) }
    #expect(transcript.errors.isEmpty)
  }

  // Fails if: bad lines are found while it plays, or not all of them.
  @Test func badLinesAreNamedAndNothingIsPlayed() async throws {
    let script = try folder.file("s.jsonl", "{\"call\": \"readAll\"}\n{\"call\": \"fly\"}\n\n{\"id\": 3}\n")
    let arguments = ["--script", script, "--store", "\(folder.path)/store", "--html", "\(folder.path)/page.html"]
    #expect(await transcript.run(arguments) == .badData)
    let lines = transcript.errors
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("notes: \(script):2: unknown call “fly”"))
    #expect(lines[1] == "notes: \(script):4: “call” is missing")
    #expect(transcript.output.isEmpty)
    #expect(folder.files == ["s.jsonl"])
  }

  @Test func everyRefusalIsOneLineAndAStatus() async throws {
    let file = try folder.file("file", "{\"call\": \"readAll\"}")
    let empty = try folder.file("empty", "")
    let missing = "\(folder.path)/missing"
    await expectRefusal(["--fast"], .badUsage, "unknown flag")
    await expectRefusal(["--act", "dance"], .badUsage, "unknown act “dance”")
    await expectRefusal(["--example", "a-dance"], .badUsage, "there are a-busy-screen, an-offline-queue")
    await expectRefusal(["--script", file, "--through", "walls"], .badUsage, "there are actor, serial, coalescing")
    await expectRefusal(["--script", missing], .noInput, "does not exist")
    await expectRefusal(["--script", folder.path], .noInput, "is a folder")
    await expectRefusal(["--script", empty], .badData, "has no calls")
    await expectRefusal(["--store", file], .cannotCreate, "it is a file")
    await expectRefusal(["--store", file + "/below"], .cannotCreate, "cannot be used")
    await expectRefusal(["--store", folder.path], .cannotCreate, "which is not a note")
    await expectRefusal(["--html", folder.path], .cannotCreate, "it is a folder")
    await expectRefusal(["--html", missing + "/page.html"], .cannotCreate, "no such file or directory")
    await expectRefusal(["--script", file, "--html", folder.path + "/./file"], .badUsage, "the same file")
    await expectRefusal(["--store", missing, "--html", missing + "/page.html"], .badUsage, "in the folder of --store")
    #expect(folder.files == ["empty", "file"])
  }

  // Fails if: a page may take the place of what is not a file. Everything is inside the test's own folder: while this test
  // is red, what it names is really replaced.
  @Test func aPageNeverReplacesWhatIsNotAFile() async throws {
    let pipe = "\(folder.path)/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let file = try folder.file("file", "text")
    let links = ["toPipe": pipe, "toFile": file, "toNothing": "\(folder.path)/nothing", "toOutput": "/proc/self/fd/1"]
    for (link, target) in links {
      try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(link)", withDestinationPath: target)
    }
    let before = folder.files
    for name in ["pipe"] + links.keys {
      await expectRefusal(["--html", "\(folder.path)/\(name)"], .cannotCreate, "cannot be written: it is ")
    }
    #expect(folder.files == before)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "text")
  }

  private func expectRefusal(_ arguments: [String], _ status: Status, _ reason: String) async {
    let transcript = Transcript()
    #expect(await transcript.run(arguments) == status, "\(arguments)")
    #expect(transcript.complaints.contains(reason), "\(transcript.complaints)")
    #expect(transcript.errors.count == 1)
    #expect(transcript.output.isEmpty)
  }

  @Test func helpIsPrintedAndIsNoFailure() async {
    #expect(await transcript.run(["--help"]) == .right)
    #expect(transcript.output == Help.text)
    #expect(transcript.errors.isEmpty)
  }
}
