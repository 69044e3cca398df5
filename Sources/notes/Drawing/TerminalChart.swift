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
    var lines = rows.map { line($0, window, columns) }
    lines.append(axis(window, columns))
    if !isWhole {
      lines.append("… and \(Count.of(timeline.rows.count - rows.count, "more call")); --html FILE draws them all")
    }
    return lines
  }

  /// What the characters mean.
  var legend: String {
    let reads = paint(String(Self.running), .read)
    let writes = paint(String(Self.running), .write)
    return "\(paint(String(Self.waiting), .faint)) waiting   \(reads) a read runs   \(writes) a write runs"
  }
}

// MARK: - Columns

extension TerminalChart {
  private struct Columns {
    let place, label, bar: Int
    /// `waited 12.34 s, ran 12.34 s` and a mark.
    static let times = 30

    init(_ rows: [Timeline.Row], width: Int) {
      place = rows.last.map { String($0.place).count } ?? 1
      label = min(rows.map(\.label.count).max() ?? 0, 24)
      bar = max(16, width - place - label - Self.times - 6)
    }
  }

  static let waiting: Character = "░"
  static let running: Character = "█"

  private func line(_ row: Timeline.Row, _ window: Window, _ columns: Columns) -> String {
    let place = padded(String(row.place), columns.place, onTheLeft: true)
    let label = padded(String(row.label.prefix(columns.label)), columns.label)
    let times = "waited \(padded(Seconds.text(row.waited), 7, onTheLeft: true)), ran \(Seconds.text(row.ran))"
    return "  \(place) \(label) \(bar(row, window, columns.bar)) \(paint(times, .faint))\(mark(row))"
  }

  private func mark(_ row: Timeline.Row) -> String {
    switch row.standing {
    case .fine: ""
    case .failed: paint(" – failed", .faint)
    case .wrong: paint(" ✗ wrong", .bad)
    }
  }

  private func axis(_ window: Window, _ columns: Columns) -> String {
    let end = Seconds.text(window.end)
    let indent = String(repeating: " ", count: 2 + columns.place + 1 + columns.label + 1)
    return paint(indent + "0" + padded(end, max(columns.bar - 1, end.count), onTheLeft: true), .faint)
  }
}

// MARK: - Bars

extension TerminalChart {
  private func bar(_ row: Timeline.Row, _ window: Window, _ count: Int) -> String {
    let cells = Self.cells(row, window, count)
    return String(repeating: " ", count: cells.before)
      + paint(String(repeating: Self.waiting, count: cells.waiting), .faint)
      + paint(String(repeating: Self.running, count: cells.running), row.isRead ? .read : .write)
      + String(repeating: " ", count: cells.after)
  }

  /// How many characters each part of a bar takes; a part that runs always takes one, so that no call is lost.
  static func cells(
    _ row: Timeline.Row, _ window: Window, _ count: Int
  ) -> (before: Int, waiting: Int, running: Int, after: Int) {
    func cell(_ moment: Double) -> Int { Int((window.position(moment) * Double(count)).rounded()) }
    let started = min(cell(row.started), count - 1)
    let asked = min(cell(row.asked), started)
    let finished = max(cell(row.finished), started + 1)
    return (asked, started - asked, finished - started, count - finished)
  }

  private func padded(_ text: String, _ count: Int, onTheLeft: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, count - text.count))
    return onTheLeft ? padding + text : text + padding
  }
}
