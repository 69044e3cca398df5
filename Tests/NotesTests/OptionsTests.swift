import Foundation
import TestWatch
import Testing

@testable import notes

/// The command line.
@Suite(.watched) struct OptionsTests {
  private func run(_ arguments: [String]) async -> (status: Int32, said: [String], complaints: [String]) {
    let (said, complaints) = (Log<String>(), Log<String>())
    let status = await Notes.run(arguments, acts: Notes.acts, say: { said($0) }, complain: { complaints($0) })
    return (status, said.entries, complaints.entries)
  }

  /// Fails if: an act cannot be asked for, or another one is played too.
  @Test func oneAct() async {
    let (status, said, _) = await run(["--act", "merge"])
    #expect(status == 0)
    #expect(said.filter { $0.hasPrefix("── ") }.map { $0.prefix(9) } == ["── merge:"])
    #expect(said.filter { $0.hasPrefix("✓ ") }.count == 1)
  }

  /// Fails if: a wrong argument is ignored, or the complaint does not say what is wrong.
  @Test(arguments: [
    (["--act", "murge"], "there is no act “murge”, only overlap, merge, keys, latest, deadlock, reload"),
    (["--act"], "--act needs a name: overlap, merge, keys, latest, deadlock, reload"),
    (["--svg"], "--svg needs a page: light, dark"), (["--svg", "merge"], "--svg needs a page: light, dark"),
    (["--store", "x"], "“--store” is not an option"), (["merge"], "“merge” is not an option"),
  ])
  func wrongArguments(_ arguments: [String], _ sentence: String) async {
    let (status, said, complaints) = await run(arguments)
    #expect(status == 2)
    #expect(said.isEmpty)
    #expect(complaints == ["notes: \(sentence); see --help"])
  }

  /// The pictures of the README, which `SERIALTASKS_WRITE=1` writes.
  ///
  /// Fails if: a picture is not of this version, or of the wrong theme.
  @Test(arguments: [("light", "timeline.svg"), ("dark", "timeline~dark.svg")])
  func pictures(_ page: String, _ name: String) async throws {
    let (status, said, _) = await run(["--svg", page])
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Sources/SerialTasks/Documentation.docc/\(name)")
    if ProcessInfo.processInfo.environment["SERIALTASKS_WRITE"] == "1" {
      try Data("\(said[0])\n".utf8).write(to: file)
    }
    #expect(status == 0 && said.count == 1)
    #expect(try String(contentsOf: file, encoding: .utf8) == "\(said[0])\n", "swift run notes --svg \(page)")
    #expect(said[0].contains("@media all") == (page == "dark"))
  }

  /// Fails if: the help leaves out an act, or is no help.
  @Test func help() async {
    let (status, said, _) = await run(["--act", "merge", "--help"])
    #expect(status == 0)
    for act in Notes.acts { #expect(said.joined().contains("  \(act.name.padded(to: 9)) \(act.title)")) }
  }

  /// Fails if: NO_COLOR or a dumb terminal is given colours.
  @Test func colours() {
    #expect(Terminal.wantsColours(noColor: nil, term: "xterm") && Terminal.wantsColours(noColor: "", term: nil))
    #expect(!Terminal.wantsColours(noColor: "1", term: "xterm") && !Terminal.wantsColours(noColor: nil, term: "dumb"))
  }
}
