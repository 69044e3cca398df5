import SerialTasks
import TestWatch
import Testing

@testable import SerialTasksTesting

/// The chart as text.
@Suite(.watched) struct TimelineTextTests {
  private let two =
    Script.job("save", 1, asked: 0, began: 0, ended: 200)
    + Script.job("load", 2, asked: 100, began: 200, ended: 400)

  /// Fails if: a job has no row or another's, waits look like runs, or a time stands in another column.
  @Test func jobsWaitAndRun() {
    #expect(
      Script.chart(two) == [
        "       0            100 ms        200 ms       300 ms",
        "notes",
        "  save ███████████████████████████┊            ┊",
        "  load ┊            ░░░░░░░░░░░░░░██████████████████████████",
        "░░ waits   ██ in progress",
      ])
  }

  /// Fails if: a row is not below its executor and keys, or not in order of place.
  @Test func rowsAreGrouped() {
    let events =
      Script.job("b", 2, asked: 0, began: 0, ended: 9, keys: ["ann", "bob"])
      + Script.job("other", 1, asked: 0, began: 0, ended: 9, on: "audit")
      + Script.job("c", 3, asked: 0, began: 0, ended: 9, keys: ["ann", "bob"])
      + [Script.event(5, .rejected(.closed), "late")] + Script.job("a", 1, asked: 0, began: 0, ended: 9)
    let labels = Script.chart(events).dropFirst().dropLast().map { $0.prefix { !"█✗ ┊".contains($0) || $0 == " " } }
    #expect(
      labels.map { String($0).trimmed } == [
        "notes", "  a", "  late", "notes[ann, bob]", "  b", "  c", "audit", "  other",
      ])
  }

  /// Fails if: a caller is not below the job that it joined, shares before that runs, or does not end with it.
  @Test func callersAreBelowTheirJob() {
    let events = [
      Script.event(0, .waiting, "all", 1, keys: ["all"]), Script.event(100, .joined, "too", 1, keys: ["all"]),
      Script.event(150, .joined, nil, 1, keys: ["all"]),
      Script.event(200, .began, "all", 1, keys: ["all"], waited: 200),
      Script.event(300, .left(.cancelled), nil, 1, keys: ["all"], waited: 150),
      Script.event(400, .finished, "all", 1, keys: ["all"], waited: 200, ran: 200),
    ]
    #expect(
      Script.chart(events)[1...4] == [
        "notes[all]",
        "  all        ░░░░░░░░░░░░░░░░░░░░░░░░███████████████████████",
        "  └ too      ┊           ░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "  └ a caller ┊ left: cancelled ░░░░░░▒▒▒▒▒▒▒▒▒▒▒◂",
      ])
  }

  /// Fails if: of callers with one name another leaves, or the one that leads has a second row.
  @Test func whoLeftIsKnownByWhenItCame() {
    let events = [
      Script.event(0, .began, nil, 1, waited: 0), Script.event(100, .joined, nil, 1),
      Script.event(200, .joined, nil, 1),
      Script.event(300, .left(.cancelled), nil, 1, waited: 100), Script.event(400, .left(.late), nil, 1, waited: 400),
      Script.event(800, .finished, nil, 1, waited: 0, ran: 800),
    ]
    let rows = Script.chart(events)[2...4]
    #expect(rows.map { $0.contains("left") } == [true, false, true])
    #expect(rows[2].contains("█◂█") && rows[3].hasSuffix("▒▒▒") && rows[4].contains("▒◂ left: cancelled"))
  }

  /// Fails if: two ends look alike, or one does not say why.
  @Test(arguments: [
    (TaskEvent.Kind.failed(ShopError(description: "no milk")), "! failed: no milk"),
    (.failed(CancellationError()), "⊗ cancelled"), (.rejected(.cancelled), "⊗ cancelled"),
    (.rejected(.withdrawn), "⊖ withdrawn"), (.replaced, "» replaced"), (.rejected(.late), "✗ rejected: late"),
    (.rejected(.deadlock(DeadlockError(path: ["a", "b", "a"]))), "✗ deadlock a → b → a"),
    (.heldTooLong(waiting: 2, startedInTurn: "log"), "▲█████████ held too long, 2 wait, “log” started inside ›"),
  ])
  func eachEndHasItsSign(_ kind: TaskEvent.Kind, _ sign: String) {
    let events = [Script.event(0, .waiting, "save", 1), Script.event(10, kind, "save", 1)]
    let row = Script.chart(events + [Script.event(1_000, .finished, "z", 9, waited: 0, ran: 1)], width: 80)[2]
    #expect(row.replacing(/█+/, with: "█").contains(sign.replacing(/█+/, with: "█")), "\(row)")
  }

  /// Fails if: a sign stands for two things, or is wider than its column.
  @Test func signsDiffer() {
    #expect(Set(Ink.allCases.map(\.look.sign)).count == Ink.allCases.count)
    #expect(Set(Ink.allCases.map(\.look.ascii)).count == Ink.allCases.count)
    #expect(Ink.allCases.allSatisfy { $0.look.sign.columns == 1 && $0.look.ascii.allSatisfy(\.isASCII) })
  }

  /// Fails if: a draft that is replaced has the row of the newer one, or does not name it.
  @Test func draftsReplaceEachOther() {
    let events = [
      Script.event(0, .drafted, "one", 7), Script.event(300, .replaced, "one", 7, waited: 300),
      Script.event(300, .drafted, "two", 7), Script.event(600, .began, "two", 7, waited: 300),
      Script.event(900, .finished, "two", 7, waited: 300, ran: 300),
    ]
    #expect(
      Script.chart(events)[2...] == [
        "  one ··················» replaced by two ┊           ┊",
        "  two ┊           ┊     ··················██████████████████",
        "·· waits for a newer one   ██ in progress   » replaced",
      ])
  }

  /// Fails if: the ASCII form has a sign that is not ASCII, or other columns; or a wide name moves the bars.
  @Test func asciiHasTheSameColumns() {
    let events = two + [Script.event(400, .drafted, "“nöte” 写 → µ", 3), Script.event(400, .waiting, "….", 4)]
    let (unicode, ascii) = (Script.chart(events), Script.chart(events, isASCII: true))
    #expect(ascii.allSatisfy { $0.allSatisfy(\.isASCII) } && ascii[4].hasPrefix("  \"n?te\" ?? > u "))
    #expect(ascii.map(\.count) == unicode.map(\.columns))
    #expect(ascii[2].replacing("#", with: "█").replacing(":", with: "┊") == unicode[2])
  }

  /// Fails if: the locale does not decide, or another variable of it than the first that is set.
  @Test func theLocaleAsksForASCII() {
    func isASCII(_ variables: [String: String]) -> Bool { Timeline.isASCII { variables[$0] } }
    #expect(!isASCII([:]) && !isASCII(["LANG": "C.UTF-8"]) && !isASCII(["LC_ALL": "de_DE.utf8", "LANG": "C"]))
    #expect(isASCII(["LANG": "C"]) && isASCII(["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "C.UTF-8"]))
  }

  /// Fails if: colors are used unasked, or change anything else.
  @Test func colorsAreOnlyColors() {
    let timeline = Timeline(two)
    let (plain, colored) = (timeline.text(isASCII: false), timeline.text(isASCII: false, isColored: true))
    #expect(!plain.contains("\u{1B}") && colored.contains("\u{1B}[34m█\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
  }

  /// Fails if: a name can end a line, change a terminal, or push what is behind it out of its column.
  @Test func namesAreHarmless() {
    let name = "a\u{1B}[31m\nb\u{202E}\u{0}" + String(repeating: "long ", count: 50)
    let lines = Script.chart(
      Script.job(name, 1, asked: 0, began: 0, ended: 9, on: name, .failed(ShopError(description: name))))
    #expect(lines.count == 4 && lines.allSatisfy { $0.count <= 60 })
    #expect(lines.joined().unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
  }

  /// Fails if: words that fit nowhere are written over their sign, or beyond the width.
  @Test func wordsFindTheirPlace() {
    func row(_ asked: Int, _ ended: Int, _ words: String) -> String {
      let end = Script.event(ended, .failed(ShopError(description: words)), "x", 1, waited: 0, ran: ended - asked)
      return Script.chart([Script.event(0, .served, "a"), end, Script.event(1_000, .served, "z")])[2]
    }
    #expect(row(0, 100, "no").contains("██! failed: no"))
    #expect(row(800, 1_000, "no").contains("failed: no ███"))
    #expect(row(0, 1_000, "no").contains("█ failed: no !"))
    let long = String(repeating: "never ", count: 30)
    #expect(row(0, 400, long).hasSuffix("…") && row(600, 1_000, long).contains("…███"))
    #expect(row(0, 1_000, long).hasSuffix("█!"))
  }
}

extension String {
  var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
