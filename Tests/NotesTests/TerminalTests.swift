import Testing

@testable import notes

@Suite(.watched) struct TerminalTests {
  private let plain = TerminalChart(width: 70, paint: Paint(isColoured: false))

  @Test func aBarWaitsRunsAndEndsWhereItShould() {
    let run = Run(
      way: .actor,
      calls: [
        Played.call(1, .add(1, text: ""), started: 0, finished: 400),
        Played.call(2, .readAll, asked: 80, started: 400, finished: 800),
      ])
    let lines = plain.lines(Played.timeline(run))
    #expect(lines[0].contains(" add 1    ▚▚▚▚▚▚▚▚▚▚           waited     0 s, ran 0.40 s"))
    #expect(lines[1].contains(" read all   ░░░░░░░░██████████ waited  0.32 s, ran 0.40 s"))
    #expect(lines[2].hasSuffix("0             0.80 s"))
  }

  // Fails if: a read and a write, or what runs and what waits, look alike without colours.
  @Test func inksOfOneChartDifferWithoutColour() {
    for inks in [[Ink.turn, .read, .write, .joined], [.own, .flight, .served, .backend], [.unowned, .owned]] {
      #expect(Set(inks.map(\.character)).count == inks.count)
      #expect(Set(inks.map(\.style)).count == inks.count || inks == [.unowned, .owned])
    }
  }

  // Fails if: a row says of a call that only joined how long it ran.
  @Test func rowsSayOnlyTheTimesOfWhatTheyDid() {
    var joined = Played.call(2, .readAll, started: 300, finished: 300, .success(.notes([])))
    (joined.joined, joined.operations) = (1, 0)
    let first = Played.call(1, .readAll, started: 0, finished: 300, .success(.notes([])))
    let lines = plain.lines(Played.timeline(Run(way: .coalescing, calls: [first, joined])))
    #expect(lines[0].hasSuffix("waited     0 s, ran 0.30 s"))
    #expect(lines[1].hasSuffix("waited  0.30 s – joined 1"))
  }

  // Fails if: a part may be rounded to nothing, or reach over the end.
  @Test func everyBarHasARunningPartAndFitsWhateverTheTimes() {
    let moments = [0, 1, 499, 500, 501, 999, 1000]
    let window = Window(start: 0, end: 1)
    for asked in moments {
      for started in moments where started >= asked {
        for finished in moments where finished >= started {
          let run = Run(
            way: .actor, calls: [Played.call(1, .readAll, asked: asked, started: started, finished: finished)])
          let cells = TerminalChart.cells(Played.timeline(run).rows[0], window, 20)
          #expect(cells.running >= 1)
          #expect(min(cells.before, cells.waiting, cells.after) >= 0)
          #expect(cells.before + cells.waiting + cells.running + cells.after == 20)
        }
      }
    }
  }

  // Fails if: room for the word at the end is forgotten.
  @Test(arguments: [80, 100, 120]) func rowsFitTheTerminalWithWhateverIsSaidOfThem(width: Int) {
    let outcomes: [Outcome] = [.success(.done), .success(.notes([])), .failure(.missing(7))]
    let calls: [Call] = [.add(1, text: ""), .readAll, .delete(7)]
    let played = zip(calls, outcomes).enumerated().map {
      Played.call($0 + 1, $1.0, asked: 0, started: 12_340, finished: 56_780, $1.1)
    }
    let lines = TerminalChart(width: width, paint: Paint(isColoured: false))
      .lines(Played.timeline(Run(way: .actor, calls: played)))
    #expect(lines.contains { $0.hasSuffix("✗ wrong") })
    #expect(lines.contains { $0.hasSuffix("– failed") })
    #expect(lines.allSatisfy { $0.count <= width })
  }

  @Test func aRunThatTookNoTimeIsDrawnToo() {
    let run = Run(way: .actor, calls: [Played.call(1, .readAll, started: 0, finished: 0, .success(.notes([])))])
    #expect(plain.lines(Played.timeline(run)).count == 2)
    #expect(plain.lines(Timeline(rows: [])).count == 1)
  }

  @Test func ofManyCallsTheFirstAreDrawnAndTheRestCounted() {
    let lines = plain.lines(Played.timeline(Played.reads(500)))
    #expect(lines.count == 22)
    #expect(lines.last == "… and 480 more calls; --html FILE draws them all")
    #expect(plain.lines(Played.timeline(Played.reads(40))).count == 41)
  }

  @Test func colourIsPutOnAndLeftOff() {
    let timeline = Played.timeline(Played.reads(2))
    let coloured = TerminalChart(width: 60, paint: Paint(isColoured: true)).lines(timeline)
    #expect(coloured[1].contains("\u{1B}[36m█"))
    #expect(!plain.lines(timeline).joined().contains("\u{1B}"))
  }

  @Test func linesAreBrokenAtSpaces() {
    let panel = TerminalPanel(width: 10, paint: Paint(isColoured: false))
    #expect(panel.wrapped("one two three four") == ["one two", "three four"])
    #expect(panel.wrapped("a /a/very/long/path b", indent: 2) == ["  a", "  /a/very/long/path", "  b"])
    #expect(panel.wrapped("") == [])
  }

  @Test func textOfOthersCannotSteerTheTerminal() {
    #expect(Printable.text("a\u{1B}[2J\u{202E}\r\nb") == "a\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}b")
    #expect(Printable.text("👨‍👩‍👧 é") == "👨‍👩‍👧 é")
    #expect(Printable.text("abcdef", upTo: 4) == "abc…")
    #expect(Printable.text("abcd", upTo: 4) == "abcd")
  }

  @Test func progressIsToldNowAndThen() {
    var sparse = ProgressMeter(total: 200, isLive: false)
    let told = (1...200).compactMap { sparse.advance(at: .milliseconds($0)) }
    #expect(told.count == 10)
    #expect(told.last == "200 of 200 calls played, 0.20 s")
    var few = ProgressMeter(total: 7, isLive: false)
    #expect((1...7).compactMap { few.advance(at: .milliseconds($0)) }.isEmpty)
    var live = ProgressMeter(total: 1000, isLive: true)
    #expect((1...1000).compactMap { live.advance(at: .milliseconds($0)) }.count == 10)
  }
}
