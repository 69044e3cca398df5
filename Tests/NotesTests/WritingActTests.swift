import Testing

@testable import notes

/// The acts on saves that replace each other and on jobs over several notes, played for real.
@Suite(.watched) struct WritingActTests {
  private let transcript = Transcript()

  private func panels(_ act: any Act) async throws -> [Panel] {
    var panels: [Panel] = []
    try await act.play(on: Stage(console: transcript.console(), scratch: "/nowhere")) { panels.append($0) }
    return panels
  }

  // Fails if: an older save is written although a newer one waits, or the newest is not.
  @Test func onlyTheFirstAndTheLastSaveAreWritten() async throws {
    let panels = try await panels(SavingAct())
    #expect(panels.map(\.mood) == [.warning, .right])
    #expect(panels[0].finding.hasPrefix("6 saves asked for, 6 written"))
    #expect(panels[1].finding.hasPrefix("6 saves asked for, 2 written"))
    let replaced = try #require(panels[1].timeline).rows.map { $0.standing == .noted("replaced") }
    #expect(replaced == [false, true, true, true, true, false])
  }

  // Fails if: what the act counts does not decide.
  @Test func savesThatAreAllWrittenAreFoundOut() async throws {
    let last = try #require(try await panels(SavingAct(isLatest: false)).last)
    #expect(last.mood == .wrong)
    #expect(last.finding == "What went wrong: saves 1, 2, 3, 4, 5 and 6 were written.")
  }

  // Fails if: a job over two notes does not wait for both, or is not waited for on both.
  @Test func movesWaitForBothNotes() async throws {
    #expect(try await panels(MovingAct()).map(\.mood) == [.right])
  }

  // Fails if: what the act compares does not decide.
  @Test func movesThatTakeOneNoteOnlyAreFoundOut() async throws {
    let panel = try await panels(MovingAct(takesBoth: false))[0]
    #expect(panel.mood == .wrong)
    #expect(panel.finding.contains("move 2 to 1 began before move 1 to 2 had ended"))
  }
}
