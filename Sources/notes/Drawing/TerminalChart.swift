/// Draws a timeline with characters: one line a call.
struct TerminalChart {
  let width: Int
  let paint: Paint

  /// Beyond this a chart is no longer looked at; the page is made for that.
  static let mostRows = 40
  private static let rowsOfMany = 20

  func lines(_ timeline: Timeline) -> [String] {
    let isWhole = timeline.rows.count <= Self.mostRows
    let rows = isWhole ? timeline.rows : Array(timeline.rows.prefix(Self.rowsOfMany))
    let window = isWhole ? timeline.window : Timeline(rows: rows).window
    let columns = Columns(rows, width: width)
    var lines = rows.flatMap { row in
      (row.heading.map { [paint("  \($0)", .bold)] } ?? []) + [line(row, window, columns)]
    }
    lines.append(axis(window, columns))
    if !isWhole {
      lines.append("… and \(Count.of(timeline.rows.count - rows.count, "more call")); --html FILE draws them all")
    }
    return lines
  }

  /// What the characters mean, in as many lines as it takes.
  func legend(_ timeline: Timeline) -> [String] {
    var lines: [String] = []
    var length = 0
    for ink in timeline.inks {
      let item = "\(paint(String(ink.character), ink.colour)) \(ink.meaning)"
      // Colours take no room, so what is counted is not what is written.
      let itemLength = 2 + ink.meaning.count
      if let last = lines.last, length + 3 + itemLength <= width {
        lines[lines.count - 1] = "\(last)   \(item)"
        length += 3 + itemLength
      } else {
        lines.append("  \(item)")
        length = 2 + itemLength
      }
    }
    return lines
  }
}

// MARK: - Columns

extension TerminalChart {
  private struct Columns {
    let number, label, bar: Int
    /// `waited 12.34 s, ran 12.34 s`.
    static let times = 27

    init(_ rows: [Timeline.Row], width: Int) {
      number = rows.map(\.number.count).max() ?? 1
      label = min(rows.map(\.label.count).max() ?? 0, 24)
      let mark = rows.map { TerminalChart.mark($0.standing).count }.max() ?? 0
      bar = max(16, width - number - label - Self.times - max(mark, 3) - 6)
    }
  }

  private func line(_ row: Timeline.Row, _ window: Window, _ columns: Columns) -> String {
    let number = padded(row.number, columns.number, onTheLeft: true)
    let label = padded(String(row.label.prefix(columns.label)), columns.label)
    let times = times(row)
    let mark = paint(Self.mark(row.standing), row.standing == .wrong ? .bad : .faint)
    return "  \(number) \(label) \(bar(row, window, columns.bar)) \(paint(times, .faint))\(mark)"
  }

  /// What the row says of time: nothing of what it did not do.
  private func times(_ row: Timeline.Row) -> String {
    let waited = "waited \(padded(Seconds.text(row.waited), 7, onTheLeft: true))"
    guard let running = row.running else { return waited }
    if running == .served { return "at once" }
    let ran = "ran \(Seconds.text(row.ran))"
    return row.waiting == nil ? padded("", waited.count + 2) + ran : "\(waited), \(ran)"
  }

  private static func mark(_ standing: Timeline.Standing) -> String {
    switch standing {
    case .fine: ""
    case .noted(let word): " – \(word)"
    case .failed: " – failed"
    case .wrong: " ✗ wrong"
    }
  }

  private func axis(_ window: Window, _ columns: Columns) -> String {
    let end = Seconds.text(window.end)
    let indent = String(repeating: " ", count: 2 + columns.number + 1 + columns.label + 1)
    return paint(indent + "0" + padded(end, max(columns.bar - 1, end.count), onTheLeft: true), .faint)
  }
}

// MARK: - Bars

extension TerminalChart {
  private func bar(_ row: Timeline.Row, _ window: Window, _ count: Int) -> String {
    let cells = Self.cells(row, window, count)
    return String(repeating: " ", count: cells.before) + part(row.waiting, cells.waiting)
      + part(row.running, cells.running) + String(repeating: " ", count: cells.after)
  }

  private func part(_ ink: Ink?, _ count: Int) -> String {
    guard let ink else { return String(repeating: " ", count: count) }
    return paint(String(repeating: ink.character, count: count), ink.colour)
  }

  /// How many characters each part of a bar takes; what runs, or only waits, always takes one, so that no row is empty.
  static func cells(
    _ row: Timeline.Row, _ window: Window, _ count: Int
  ) -> (before: Int, waiting: Int, running: Int, after: Int) {
    func cell(_ moment: Double) -> Int { Int((window.position(moment) * Double(count)).rounded()) }
    let asked = min(cell(row.asked), count - 1)
    guard row.running != nil else {
      let finished = max(cell(row.finished), asked + 1)
      return (asked, finished - asked, 0, count - finished)
    }
    let started = max(asked, min(cell(row.started), count - 1))
    let finished = max(cell(row.finished), started + 1)
    return (asked, started - asked, finished - started, count - finished)
  }

  private func padded(_ text: String, _ count: Int, onTheLeft: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, count - text.count))
    return onTheLeft ? padding + text : text + padding
  }
}
