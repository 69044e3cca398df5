import SerialTasks
import Testing

@testable import notes

/// The acts on deadlocks, one that is rejected and one that did not happen, and the picture of both.
@Suite(.watched) struct DeadlockActTests {
  private func panel(_ act: any Act) async throws -> Panel {
    var panels: [Panel] = []
    try await act.play(on: Stage(console: Transcript().console(), scratch: "/nowhere")) { panels.append($0) }
    return try #require(panels.first)
  }

  // Fails if: the call is not rejected, or the picture is not that of the path.
  @Test func aCallThatWouldWaitForItselfIsRejected() async throws {
    let panel = try await panel(ReentrancyAct())
    #expect(panel.mood == .right)
    #expect(panel.ring == Ring(["notes", "audit", "notes"], holders: ["update 1", "log the update"]))
  }

  // Fails if: the ring of two tasks that do not meet is not found, or is another, or the two are not rejected when they meet.
  @Test func aDeadlockThatDidNotHappenIsFound() async throws {
    let panel = try await panel(OrdersAct())
    #expect(panel.mood == .right)
    #expect(panel.ring == Ring(["notes", "audit", "notes"], holders: ["save a note", "print the report"]))
    #expect(panel.finding.contains("notes → audit → notes"))
    #expect(
      panel.details.first == "If the two meet, the call that closes the cycle is rejected: audit → notes → audit.")
  }

  // Fails if: what potentialDeadlocks returns does not decide.
  @Test func oneOrderIsFoundOut() async throws {
    let panel = try await panel(OrdersAct(isOpposite: false))
    #expect(panel.mood == .wrong)
    #expect(panel.ring == nil)
    #expect(panel.finding == "What went wrong: the cycle was not found: [].")
  }

  // Fails if: a call that is not rejected, or fails in another way, passes for one that is.
  @Test func onlyADeadlockIsRight() async {
    #expect(await CycleEnd {}.problem == "The call was not rejected, and should have been.")
    #expect(await CycleEnd { throw NotesError.missing(7) }.problem?.hasSuffix("there is no note 7") == true)
    #expect(
      await CycleEnd {
        let line = SerialTaskExecutor()
        try await line.enqueue { try await line.enqueue {} }
      }.problem == nil)
  }

  // Fails if: a part of a ring is missing, or the last does not lead to the first.
  @Test func aRingIsClosed() {
    let ring = Ring(["a", "b", "c", "a"], holders: ["one", "two", "three"])
    #expect(
      ring.lines(Paint(isColoured: false)) == [
        "  ╭─▶ a", "  │     │  held by “one”, which asks for", "  │     ▼",
        "  │   b", "  │     │  held by “two”, which asks for", "  │     ▼",
        "  │   c", "  │     │  held by “three”, which asks for", "  ╰─────╯",
      ])
    #expect(ring.lines(Paint(isColoured: true))[0] == "\u{1B}[2m  ╭─▶ \u{1B}[0m\u{1B}[1ma\u{1B}[0m")
  }

  // Fails if: a name reaches the page or the terminal as it is.
  @Test func namesOfARingStayTexts() {
    let ring = Ring(["<b>\u{1B}", "<b>\u{1B}"], holders: ["<i>\u{1B}"])
    #expect(ring.html.contains("<li><b>&lt;b&gt;\u{FFFD}</b><span>held by “&lt;i&gt;\u{FFFD}”, which asks for</span>"))
    #expect(!ring.lines(Paint(isColoured: false)).joined().contains("\u{1B}"))
  }
}
