/// A chart in columns: the times, as many rows as fit, and what the signs mean.
struct TimelinePage {
  typealias Line = (isTitle: Bool, tooltip: String, inks: [(Ink, columns: Range<Int>)], texts: [(column: Int, String)])

  private(set) var lines: [Line] = []
  let width: Int
  private let margin: Int, scale: Double

  init(_ timeline: Timeline, width: Int, lines limit: Int) {
    let rows = timeline.rows(atMost: limit - 4)
    margin = min(rows.map { $0.isTitle ? 0 : $0.label.columns + ($0.host == nil ? 3 : 5) }.max() ?? 0, width / 3)
    self.width = width
    scale = Double(width - margin) / max(timeline.last, 1e-9)
    // At least twelve columns for each.
    let (tens, least) = ([1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1], 12 / scale)
    let long: [Double] = [10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600]
    let steps = tens.flatMap { [$0, 2 * $0, 5 * $0] } + long
    let step = steps.first { $0 >= least } ?? (least / 86_400).rounded(.up) * 86_400
    let ticks = stride(from: 0, through: timeline.last, by: step).map { (column($0), $0.duration) }
    lines = [(false, "", [], ticks.filter { $0 + $1.columns <= width })] + rows.map(line)
    let used = Set(rows.flatMap { $0.strokes.map(\.ink) + $0.marks.map(\.ink) })
    var end = width
    for (ink, meaning) in Ink.allCases.filter(used.contains).map({ ($0, $0.look.meaning) }) {
      if end + meaning.columns + 3 > width { (lines, end) = (lines + [(false, "", [], [])], 0) }
      lines[lines.count - 1].inks.append((ink, end..<end + (ink.isMark ? 1 : 2)))
      lines[lines.count - 1].texts.append((end + (ink.isMark ? 2 : 3), meaning))
      end += meaning.columns + 6
    }
  }

  private func column(_ time: Double) -> Int { margin + Int((time * scale).rounded()) }

  private func line(_ row: TimelineRow) -> Line {
    if row.isTitle { return (true, "", [], [(0, row.label.fitted(width))]) }
    let times = row.strokes.prefix(2).map { "\($0.ink) \(($0.to - $0.from).duration)" }
    var line: Line = (false, ([row.label] + times + [row.words]).filter { !$0.isEmpty }.joined(separator: ", "), [], [])
    line.texts = [(2, (row.host == nil ? row.label : "└ \(row.label)").fitted(margin - 3))]
    line.inks = (row.strokes + row.marks.map { ($0.ink, $0.time, $0.time) }).map { ink, from, to in
      let start = min(column(from), width - 1)
      return (ink, start..<max(column(to), start + 1))
    }
    if row.words.isEmpty { return line }
    // After what is drawn, or before it, or inside if that is long; or cut.
    let low = line.inks.map(\.columns.lowerBound).min() ?? width,
      high = line.inks.map(\.columns.upperBound).max() ?? margin
    let (words, count, left, right) = (" \(row.words) ", row.words.columns + 2, low - margin, width - high)
    let place = count <= right ? high : count <= left ? low - count : count + 2 <= high - low ? high - count - 1 : nil
    line.texts.append((place ?? (right >= left ? high : margin), words.fitted(place == nil ? max(left, right) : count)))
    return line
  }
}

extension Timeline {
  /// Returns, if there are too many, what is unusual, what came first, and one row for the others.
  fileprivate func rows(atMost limit: Int) -> [TimelineRow] {
    let titles = Set(rows.map(\.title)).count
    let count = titles + rows.count <= limit ? rows.count : max(limit - 1 - titles, (limit - 1) / 2)
    let unusual = rows.indices.lazy.filter { !rows[$0].marks.isEmpty }.prefix(count - count / 3)
    var shown = Set(unusual.flatMap { [rows[$0].host ?? $0, $0] }.prefix(count))
    for row in rows.indices where shown.count < count { shown.insert(row) }
    let lines = sorted.filter(shown.contains).map { rows[$0] }.reduce(into: [TimelineRow]()) { lines, row in
      let title = TimelineRow(label: row.title.printable, isTitle: true, title: row.title)
      lines += (title.title == lines.last?.title ? [] : [title]) + [row]
    }
    let hidden = rows.indices.filter { !shown.contains($0) }.map { rows[$0] }
    var fold = TimelineRow(label: "… \(hidden.count) more")
    fold.strokes = hidden.flatMap(\.strokes).sorted { $0.ink != .runs && $1.ink == .runs }
    let inks = hidden.flatMap(\.marks).reduce(into: [:]) { $0[$1.ink, default: 0] += 1 }
    fold.words = Ink.allCases.compactMap { ink in inks[ink].map { "\($0) \(ink)" } }.joined(separator: ", ")
    return hidden.isEmpty ? lines : lines + [fold]
  }
}

extension Double {
  fileprivate var duration: String {
    let units = [(7_200, 3_600, "h"), (120, 60, "min"), (1, 1, "s"), (1e-3, 1e-3, "ms"), (1e-6, 1e-6, "µs")]
    let (_, size, unit) = units.first { self * 1.000_001 >= $0.0 } ?? (0, 1e-9, "ns")
    let number = "\((self / size * 100).rounded() / 100)"
    return self == 0 ? "0" : "\(number.hasSuffix(".0") ? String(number.dropLast(2)) : number) \(unit)"
  }
}

extension String {
  /// Its beginning, without what would end a line, change a terminal, or not be XML.
  var printable: String {
    let hidden: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator, .unassigned, .format]
    let scalars = unicodeScalars.prefix(400).map { hidden.contains($0.properties.generalCategory) ? " " : $0 }
    return String(UnicodeScalarView(scalars))
  }

  /// Replaces by scalar: a mark after a quotation mark would be one character with it.
  func replacing(_ names: [Unicode.Scalar: String]) -> String {
    unicodeScalars.reduce(into: "") { $0 += names[$1] ?? String($1) }
  }

  /// In a terminal, characters of East Asia and emoji have two columns.
  var columns: Int { reduce(0) { $0 + ($1.unicodeScalars.first!.value < 0x2E80 ? 1 : 2) } }

  fileprivate func fitted(_ width: Int) -> String {
    var text = self
    while text.columns > max(width, 0) { text = text.count > 1 ? text.dropLast(2) + "…" : "" }
    return text
  }
}
