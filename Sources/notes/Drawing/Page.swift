/// What an act prints: texts, charts, and whether it came out right.
struct Page {
  private(set) var lines: [String] = []
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

  /// Adds what a message of the library says, as it stands.
  mutating func quote(_ text: String) { lines += [""] + Terminal.wrap(text, indent: 4) }

  /// Adds charts with one scale, and what their bars mean.
  mutating func charts(_ charts: [Chart]) {
    let scale = charts.map(\.play.end).max() ?? 0
    for chart in charts { lines += [""] + chart.lines(scale: scale, paint: paint) }
    let inks = Ink.allCases.filter { ink in charts.contains { $0.inks.contains(ink) } }
    let legend = inks.map { "\(paint(String($0.rawValue), $0.colour)) \($0.meaning)" }
    lines.append("    " + legend.joined(separator: "   "))
  }

  /// Ends the page.
  ///
  /// - Parameters:
  ///   - account: What came of the calls without the package.
  ///   - mistakes: What went wrong with it.
  ///   - finding: What to say if nothing did.
  /// - Returns: Whether nothing did.
  mutating func verdict(without account: String? = nil, _ mistakes: [String], _ finding: String) -> Bool {
    let isRight = mistakes.isEmpty
    let text = isRight ? "✓ \(finding)" : "✗ This went wrong: \(mistakes.joined(separator: "; "))."
    lines += [""] + Terminal.wrap(account.map { "○ \($0)" } ?? "").map { paint($0, .yellow) }
    lines += Terminal.wrap(text).map { paint($0, isRight ? .green : .red) }
    return isRight
  }
}
