import Testing

@testable import notes

/// The act on the screen that loads, played for real.
@Suite(.watched) struct ReloadingActTests {
  private let transcript = Transcript()

  // Fails if: a story does not come to what the act says, with an owner or without.
  @Test func theFiveStoriesAreCounted() async {
    #expect(await transcript.run(["--act", "reloading"]) == .right)
    #expect(transcript.complaints.isEmpty)
    let output = transcript.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let sentence = """
      Without an owner 11 fetches were made and 11 shown, 3 times an older answer over a newer one; through Reloader 8 \
      fetches were made and 6 shown, never an older answer over a newer one.
      """
    #expect(output.contains(sentence), "\(transcript.output)")
  }

  // Fails if: a fetch is not drawn, or what became of its answer is not said in its row.
  @Test func everyFetchIsDrawnWithWhatBecameOfIt() async {
    _ = await transcript.run(["--act", "reloading"])
    let lines = transcript.output.split(separator: "\n")
    func marks(_ label: String, _ ink: Character, _ title: String) -> [String] {
      let story = lines.drop { !$0.contains(title) }.dropFirst().prefix { $0.contains(" ran ") }
      return story.filter { $0.contains(label) && $0.contains(ink) }.map { line in
        ["shown", "dropped", "✗ wrong"].first { line.hasSuffix($0) } ?? String(line)
      }
    }
    #expect(marks("no owner", "▓", "Cold start") == ["shown", "shown", "shown"])
    #expect(marks("Reloader", "█", "Cold start") == ["shown"])
    #expect(marks("no owner", "▓", "Away and back") == ["✗ wrong", "shown"])
    #expect(marks("Reloader", "█", "Away and back") == ["dropped", "shown"])
    #expect(marks("no owner", "▓", "Pull to refresh") == ["✗ wrong", "shown"])
    #expect(marks("Reloader", "█", "Pull to refresh") == ["shown", "shown"])
    #expect(marks("no owner", "▓", "Background") == ["shown", "shown"])
    #expect(marks("Reloader", "█", "Background") == ["shown"])
    #expect(marks("no owner", "▓", "Restoration") == ["✗ wrong", "shown"])
    #expect(marks("Reloader", "█", "Restoration") == ["dropped", "shown"])
  }

  // Fails if: what the act counts does not decide.
  @Test func aScreenWithoutAnOwnerIsFoundOut() async throws {
    var panels: [Panel] = []
    let stage = Stage(console: transcript.console(), scratch: "/nowhere")
    try await ReloadingAct(isOwned: false, patience: .seconds(5)).play(on: stage) { panels.append($0) }
    #expect(panels.map(\.mood) == [.wrong])
    #expect(panels[0].finding.hasPrefix("What went wrong: "))
  }
}
