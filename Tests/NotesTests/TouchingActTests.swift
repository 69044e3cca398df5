import Foundation
import Testing

@testable import notes

/// The act on the slow write, played for real.
@Suite(.watched) struct TouchingActTests {
  private let folder: TemporaryFolder
  private let transcript = Transcript()

  init() throws { folder = try TemporaryFolder() }

  // Fails if: writes touch more or less than the act says, or reads do not merge across a write of another note.
  @Test func lessWaitsForTheSlowWriteTheLessWritesTouch() async throws {
    var panels: [Panel] = []
    let stage = Stage(console: transcript.console(), scratch: folder.path)
    try await TouchingAct().play(on: stage) { panels.append($0) }
    #expect(panels.map(\.mood) == [.right, .right, .right])
    let counts = [
      "5 backend reads, 1 saved; 6 waits", "4 backend reads, 2 saved; 4 waits", "5 backend reads, 1 saved; 4 waits",
    ]
    for (panel, count) in zip(panels, counts) { #expect(panel.details[0].contains(count), "\(panel.details[0])") }
    // Those that began while the slow write ran, and those that joined one.
    let rows = try panels.map { try #require($0.timeline).rows }
    let began = rows.map { rows in rows.filter { $0.running != nil && $0.started < rows[0].finished }.map(\.number) }
    #expect(began.map { Array($0.prefix(3)) } == [["1"], ["1", "2"], ["1", "2", "3"]])
    #expect(rows.map { $0[3].standing } == [.fine, .noted("joined 2"), .noted("joined 2")])
    #expect(rows.map { $0[7].standing } == [.noted("joined 7"), .noted("joined 7"), .fine])
    #expect(panels[0].finding.contains(", no other call ended; all 8 calls took "))
  }

  @Test func itIsDrawnInTheTerminalAndOnThePage() async throws {
    let page = "\(folder.path)/page.html"
    #expect(await transcript.run(["--act", "touching", "--html", page]) == .right)
    #expect(transcript.errors.isEmpty)
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for title in [
      "touching: A slow write of note 1, where a write touches everything",
      "touching: The same calls, where a write touches its note and the list",
      "touching: The same calls, where a write touches its note only",
    ] {
      #expect(transcript.output.contains("\n\(title)\n"))
      #expect(text.contains("<h2>\(title)</h2>"))
    }
    #expect(text.components(separatedBy: "<tr class=").count - 1 == 24)
    #expect(!transcript.output.contains("kept in /"))
  }
}
