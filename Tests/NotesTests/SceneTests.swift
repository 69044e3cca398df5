import Testing

@testable import notes

/// Judging scenes, describing them in words, and drawing them.
@Suite(.watched) struct SceneTests {
  private func problems(_ scene: Scene, _ must: SceneVerdict.Must) -> [String] {
    SceneVerdict(scene, must: must).problems.map(\.text)
  }

  @Test func whatIsAsItMustBeHasNoProblems() {
    #expect(problems(Scenes.together, Scenes.mustOfTogether) == [])
    #expect(problems(Scenes.leaving, Scenes.mustOfLeaving) == [])
    #expect(problems(Scenes.prefetch, Scenes.mustOfPrefetch) == [])
    #expect(problems(Scenes.alone, Scenes.mustOfAlone) == [])
  }

  // Fails if: a count is not compared.
  @Test func everyCountIsCompared() {
    let more = Scene(visits: Scenes.together.visits, calls: Scenes.together.calls + [Scenes.call(2, "nobody")])
    #expect(problems(more, Scenes.mustOfTogether) == ["the backend was called twice and must be called once"])
    #expect(
      problems(Scenes.alone, Scenes.mustOfTogether) == [
        "the backend was called twice and must be called once", "2 callers asked alone and 0 must have",
        "0 callers led and 1 must have", "0 callers joined and 2 must have",
      ])
    #expect(
      problems(Scenes.prefetch, SceneVerdict.Must(calls: 1, sources: [:])) == [
        "1 caller was served what was prefetched and 0 must have"
      ])
  }

  // Fails if: one of these passes for an answer.
  @Test(arguments: [
    (Scenes.visit("feed", ended: 300, Scenes.answered(.joined, call: 3)), "got an answer that no call"),
    (Scenes.visit("feed", ended: 200, Scenes.answered(.joined)), "got an answer that no call"),
    (Scenes.visit("home", ended: 300, Scenes.answered(.joined)), "was reported to have joined another’s operation"),
    (Scenes.visit("feed", ended: 300, Scenes.answered(.led)), "was reported to have led its own"),
    (Scenes.visit("feed", ended: 300, Scenes.answered(.alone)), "was reported to have led its own"),
    (Scenes.visit("feed", ended: 300, Scenes.answered(.joined), cancelledAt: 100), "was cancelled, and was answered"),
    (Scenes.visit("feed", ended: 100, .left), "though it had not been cancelled"),
    (Scenes.visit("feed", ended: 300, .left, cancelledAt: 100), "left only when the backend had answered"),
    (Scenes.visit("feed", ended: 900, .stillWaiting), "the feed still waited at 0.90 s"),
    (Scenes.visit("feed", ended: 300, .failed("no \u{7}")), "the feed failed: no \u{FFFD}"),
  ])
  func everyWrongEndingIsFound(visit: Visit, problem: String) {
    let sources: [Reply.Source: Int] = if case .answered(let reply) = visit.ending { [reply.source: 1] } else { [:] }
    let verdict = SceneVerdict(
      Scene(visits: [visit], calls: [Scenes.call(1, "home")]), must: SceneVerdict.Must(calls: 1, sources: sources))
    #expect(verdict.problems.count == 1)
    #expect(verdict.problems.first?.text.contains(problem) == true, "\(verdict.problems)")
    #expect(verdict.problems.first?.caller == visit.caller)
    let finding = verdict.finding("all is well")
    #expect(finding.hasPrefix("What went wrong: the \(visit.caller) "))
  }

  @Test func aCallThatWasCancelledUnderThoseWhoStayIsFound() {
    let scene = Scene(visits: [], calls: [Scenes.call(1, "home", ended: nil, wasCancelled: true)])
    #expect(
      problems(scene, SceneVerdict.Must(calls: 1, sources: [:])) == [
        "backend call 1 was cancelled while a caller waited for it"
      ])
  }

  // MARK: - Words

  // Fails if: a sentence says what must be, and not what was.
  @Test func sentencesAreReadOffTheScene() {
    let together = "The home led, the feed and the menu joined: 3 answers, and the backend was called once."
    #expect(Scenes.together.sharing == together)
    #expect(Scenes.alone.sharing == "The home and the feed asked alone: 2 answers, and the backend was called twice.")
    #expect(
      Scenes.alone.separation == """
        The home and the feed each ran an operation of their own: the backend was called twice, for the same profile.
        """)
    #expect(
      Scenes.prefetch.pickingUp == """
        The page asked 0.10 s after the call for the list had ended, and was answered within a millisecond, without a \
        call of its own: the backend was called once.
        """)
    #expect(
      Scenes.leaving.leaving == """
        The home left at 0.10 s and had its CancellationError within a millisecond; its operation went on for the feed, \
        who had the answer at 0.30 s: the backend was called once.
        """)
    var other = Scenes.leaving
    other.visits[0] = Scenes.visit("menu", ended: 150, .left, cancelledAt: 100)
    #expect(
      other.leaving.hasPrefix(
        "The menu left at 0.10 s and had its CancellationError 0.050 s later; the flight it had joined went on"))
    #expect(Scenes.together.leaving == "No caller left, and the backend was called once.")
    #expect(Scene(visits: [], calls: []).pickingUp == "No caller was answered, and the backend was called never.")
  }

  @Test func theBackendGivesItsOwnAccount() {
    let calls = [
      Scenes.call(1, "home"), Scenes.call(2, "feed", ended: nil, wasCancelled: true),
      Scenes.call(3, "menu", ended: nil),
    ]
    #expect(
      Scene(visits: [], calls: calls).account == [
        "Backend call 1, for the home, began at 0 s and ended at 0.30 s.",
        "Backend call 2, for the feed, began at 0 s and was cancelled.",
        "Backend call 3, for the menu, began at 0 s and has not ended.",
      ])
  }

  // MARK: - Drawing

  private func lines(_ scene: Scene, _ must: SceneVerdict.Must) -> [String] {
    let timeline = Timeline(scene, SceneVerdict(scene, must: must))
    return TerminalChart(width: 77, paint: Paint(isColoured: false)).lines(timeline)
  }

  // Fails if: waiting for another's flight is drawn like running, or who left is drawn to the end.
  @Test func whoRidesAlongIsDrawnUnlikeWhoseOperationRuns() {
    let lines = lines(Scenes.leaving, Scenes.mustOfLeaving)
    #expect(lines[0] == "  1 home           ███████                              ran 0.10 s – left")
    #expect(lines[1] == "  2 feed           ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ waited  0.30 s – joined")
    #expect(lines[2] == "    backend call 1 ━━━━━━━━━━━━━━━━━━━━                 ran 0.30 s")
    #expect(lines.count == 4)
  }

  @Test func whatWasPrefetchedIsPickedUpInAMoment() {
    let lines = lines(Scenes.prefetch, Scenes.mustOfPrefetch)
    #expect(lines[0] == "  1 list           ████████████                     ran 0.30 s – prefetch")
    #expect(lines[1] == "  2 page                          ◆ at once – prefetched")
  }

  @Test func aRowThatIsWrongIsMarked() {
    var scene = Scenes.together
    scene.visits[2] = Scenes.visit("menu", ended: 300, .failed("no"))
    let marks = lines(scene, Scenes.mustOfTogether).map { $0.contains("✗ wrong") }
    #expect(marks == [false, false, true, false, false])
  }

  // Fails if: a row that only waits may be rounded to nothing, or reach over the end.
  @Test func whoOnlyWaitsHasABarWhateverTheTimes() {
    let moments = [0, 1, 499, 500, 501, 999, 1000]
    for asked in moments {
      for ended in moments where ended >= asked {
        let visit = Scenes.visit("feed", asked: asked, ended: ended, Scenes.answered(.joined))
        let scene = Scene(visits: [visit], calls: [])
        let row = Timeline(scene, SceneVerdict(scene, must: Scenes.mustOfTogether)).rows[0]
        let cells = TerminalChart.cells(row, Window(start: 0, end: 1), 20)
        #expect(cells.running == 0)
        #expect(cells.waiting >= 1)
        #expect(cells.before + cells.waiting + cells.after == 20)
        #expect(min(cells.before, cells.after) >= 0)
      }
    }
  }

  @Test func legendsNameWhatIsSeenAndNothingElse() {
    func panel(_ scene: Scene, _ must: SceneVerdict.Must) -> Panel {
      Panel(
        title: "", introduction: "", timeline: Timeline(scene, SceneVerdict(scene, must: must)), mood: .right,
        finding: "", details: [])
    }
    let alone = panel(Scenes.alone, Scenes.mustOfAlone)
    let terminal = TerminalPanel(width: 100, paint: Paint(isColoured: false))
    #expect(terminal.lines(alone).contains("  █ its operation runs   ━ the backend works"))
    let page = HTMLPage(panels: [alone, panel(Scenes.together, Scenes.mustOfTogether)]).text
    let legend = page.split(separator: "\n").filter { $0.contains("swatch") && $0.hasPrefix("<li") }
    #expect(legend.count == 3)
    for ink in [Ink.own, .flight, .backend] { #expect(legend.contains { $0.contains(ink.meaning) }) }
    #expect(page.components(separatedBy: "<i class=\"ride\"").count == 3)
    #expect(page.components(separatedBy: "<i class=\"line\"").count == 4)
    #expect(page.contains("<th scope=\"col\">Caller</th>"))
  }

  @Test func everyInkHasAStyleOfItsOwnKind() {
    for ink in Ink.allCases {
      #expect(ink.style.split(separator: " ").allSatisfy { HTMLStyle.sheet.contains(".\($0) {") }, "\(ink)")
      #expect(ink == .turn || HTMLStyle.sheet.contains(".\(ink.rawValue)"), "\(ink)")
    }
  }
}
