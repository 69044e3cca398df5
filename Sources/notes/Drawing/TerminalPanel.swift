/// Lays a panel out for a terminal.
struct TerminalPanel {
  let width: Int
  let paint: Paint

  func lines(_ panel: Panel) -> [String] {
    var lines = ["", paint(panel.title, .bold)]
    lines += wrapped(panel.introduction)
    if let timeline = panel.timeline {
      let chart = TerminalChart(width: width, paint: paint)
      lines += [""] + chart.lines(timeline) + [""] + chart.legend(timeline)
      if panel.mood == .warning { lines += ["  \(panel.mood.mark) \(panel.mood.meaning)"] }
    }
    if let ring = panel.ring { lines += [""] + ring.lines(paint) }
    lines += [""] + wrapped("\(panel.mood.mark) \(panel.finding)").map { paint($0, colour(panel.mood)) }
    for detail in panel.details { lines += wrapped(detail, indent: 2) }
    return lines
  }

  private func colour(_ mood: Panel.Mood) -> Paint.Colour {
    switch mood {
    case .right: .good
    case .warning: .warning
    case .wrong: .bad
    }
  }

  /// Breaks the text at spaces.
  ///
  /// Words that are too long stay whole, so that a path can be copied.
  func wrapped(_ text: String, indent: Int = 0) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(margin + line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty { lines.append(margin + line) }
    return lines
  }
}
