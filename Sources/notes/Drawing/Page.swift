import SerialTasks
import SerialTasksTesting

/// What an act prints: texts, charts, and whether everything went right.
struct Page {
  private(set) var lines: [String] = []
  /// What the timelines are made of.
  private(set) var events: [TaskEvent] = []
  let paint: Paint

  init(paint: Paint = Paint(isOn: false)) { self.paint = paint }
}

extension Page {
  mutating func title(_ act: any Act) {
    let title = "── \(act.name): \(act.title) "
    lines += ["", paint(title + String(repeating: "─", count: Terminal.width - title.count), .bold), ""]
  }

  /// Adds a paragraph.
  mutating func text(_ text: String) { lines += Terminal.wrap(text) }

  /// Adds a message of the library, unchanged.
  mutating func quote(_ text: String) { lines += [""] + Terminal.wrap(text, indent: 4) }

  /// Adds one timeline of what was played in several ways: each with its name, and how it is written in code.
  mutating func timeline(_ ways: [(name: String, code: String, play: Play)]) {
    lines += [""] + ways.map { "\(paint($0.name, .bold)): \($0.code)" } + [""]
    let played = ways.flatMap { $0.play.events(as: $0.name) }
    events += played
    let chart = Timeline(played).text(width: Terminal.width, lines: 60, isColored: paint.isOn)
    lines += chart.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Ends the page with what went wrong, without the package and with it, or with the finding; returns whether all is right.
  mutating func verdict(without account: String? = nil, _ mistakes: [String], _ finding: String) -> Bool {
    let isRight = mistakes.isEmpty
    let text = isRight ? "✓ \(finding)" : "✗ This went wrong: \(mistakes.joined(separator: "; "))."
    lines += [""] + Terminal.wrap(account.map { "○ \($0)" } ?? "").map { paint($0, .yellow) }
    lines += Terminal.wrap(text).map { paint($0, isRight ? .green : .red) }
    return isRight
  }
}
