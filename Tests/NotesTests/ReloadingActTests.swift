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
    for sentence in [
      "Without an owner 11 fetches and 11 applications; through Reloader 8 and 6",
      "all ask: 3 fetches, 3 applications, the newest is shown without, 1 fetch, 1 application, the newest is shown",
      "comes last: 2 fetches, 2 applications, an OLD one is shown without, 2 fetches, 1 application, the newest is shown",
      "answer is slow: 2 fetches, 2 applications, an OLD one is shown without, 2 fetches, 2 applications, the newest",
      "then foreground: 2 fetches, 2 applications, the newest is shown without, 1 fetch, 1 application, the newest",
      "answered last: 2 fetches, 2 applications, an OLD one is shown without, 2 fetches, 1 application, the newest",
    ] {
      #expect(output.contains(sentence), "\(sentence)")
    }
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
