/// What an act prints: texts, charts, and whether everything went right.
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

  /// Adds a message of the library, unchanged.
  mutating func quote(_ text: String) { lines += [""] + Terminal.wrap(text, indent: 4) }

  /// Adds charts with a common scale, and a legend.
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
  ///   - account: What went wrong without the package.
  ///   - mistakes: What went wrong with it.
  ///   - finding: The text if nothing did.
  /// - Returns: Whether `mistakes` is empty.
  mutating func verdict(without account: String? = nil, _ mistakes: [String], _ finding: String) -> Bool {
    let isRight = mistakes.isEmpty
    let text = isRight ? "✓ \(finding)" : "✗ This went wrong: \(mistakes.joined(separator: "; "))."
    lines += [""] + Terminal.wrap(account.map { "○ \($0)" } ?? "").map { paint($0, .yellow) }
    lines += Terminal.wrap(text).map { paint($0, isRight ? .green : .red) }
    return isRight
  }
}
