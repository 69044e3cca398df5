/// A timeline as a table: bars to look at, and next to them the times to read.
///
/// A few calls are one table. Many are an overview and then tables of fifty, folded, each with a time axis of its own: one axis
/// for all of them would leave nothing of a short call among thousands.
struct HTMLChart {
  let timeline: Timeline

  /// As many rows as are read without folding.
  static let mostRows = 60
  static let rowsOfPart = 50

  var text: String {
    if timeline.rows.count <= Self.mostRows { return table(timeline.rows, timeline.window) }
    let parts = stride(from: 0, to: timeline.rows.count, by: Self.rowsOfPart).map { first in
      part(Array(timeline.rows[first..<min(first + Self.rowsOfPart, timeline.rows.count)]), isOpen: first == 0)
    }
    return ([HTMLOverview(timeline: timeline).text] + parts).joined(separator: "\n")
  }

  private func part(_ rows: [Timeline.Row], isOpen: Bool) -> String {
    let window = Self.window(of: rows)
    let wrong = rows.count { $0.standing == .wrong }
    let failed = rows.count { $0.standing == .failed }
    let remarks = (failed > 0 ? ", \(failed) failed" : "") + (wrong > 0 ? ", \(wrong) wrong" : "")
    return """
      <details\(isOpen ? " open" : "")>
      <summary>Calls \(rows[0].number) to \(rows[rows.count - 1].number), \(Seconds.text(window.start)) to \
      \(Seconds.text(window.end))\(remarks)</summary>
      \(table(rows, window))
      </details>
      """
  }

  /// Where the rows run, and a little of their waiting before it; who has waited since long before is cut at the left.
  static func window(of rows: [Timeline.Row]) -> Window {
    let began = rows.map(\.started).min() ?? 0
    let ended = rows.map(\.finished).max() ?? 0
    let asked = rows.map(\.asked).min() ?? 0
    return Window(start: max(asked, began - (ended - began) * 0.2), end: ended)
  }
}

// MARK: - Rows

extension HTMLChart {
  private func table(_ rows: [Timeline.Row], _ window: Window) -> String {
    """
    <div class="scroll" role="region" aria-label="Timeline" tabindex="0">
    <table>
    <thead><tr><th scope="col">\(timeline.subject)</th><th scope="col" class="axis">\(axis(window))</th><th scope="col" class="time">waited</th>\
    <th scope="col" class="time">ran</th><th scope="col"><span class="spoken">outcome</span></th></tr></thead>
    <tbody>
    \(rows.map { row($0, window) }.joined(separator: "\n"))
    </tbody>
    </table>
    </div>
    """
  }

  /// A number at each line of the grid.
  private func axis(_ window: Window) -> String {
    (0...4).map { quarter in
      "<span>\(Seconds.text(window.start + window.length * Double(quarter) / 4))</span>"
    }.joined()
  }

  private func row(_ row: Timeline.Row, _ window: Window) -> String {
    let heading = row.heading.map {
      "<tr class=\"heading\"><th scope=\"rowgroup\" colspan=\"5\">\(HTMLText.escaped($0))</th></tr>\n"
    }
    let text =
      """
      <tr class="\((row.running ?? row.waiting)?.rawValue ?? "")" title="\(HTMLText.escaped(row.details))">\
      <th scope="row"><span class="place">\(row.number)</span> \(HTMLText.escaped(row.label))</th>\
      <td class="track">\(bars(row, window))</td>\
      <td class="time">\(row.waiting == nil ? "" : Seconds.text(row.waited))</td>\
      <td class="time">\(row.running == nil ? "" : Seconds.text(row.ran))</td>\
      <td class="standing">\(Self.mark(row.standing))</td></tr>
      """
    return (heading ?? "") + text
  }

  private func bars(_ row: Timeline.Row, _ window: Window) -> String {
    let waiting = row.waiting.map { bar($0, row.asked, row.started, window, mayBeNothing: row.running != nil) }
    let running = row.running.map { bar($0, row.started, row.finished, window, mayBeNothing: false) }
    return (waiting ?? "") + (running ?? "")
  }

  private func bar(_ ink: Ink, _ from: Double, _ to: Double, _ window: Window, mayBeNothing: Bool) -> String {
    let (left, right) = (window.position(from), window.position(to))
    if mayBeNothing, right <= left { return "" }
    // The style sheet gives what runs a least width, so that no call is lost; it needs room for that at the right.
    let shown = min(left, 0.996)
    let cut = from < window.start && right > left ? " cut" : ""
    return
      "<i class=\"\(ink.style)\(cut)\" style=\"left:\(HTMLText.percent(shown));width:\(HTMLText.percent(right - left))\"></i>"
  }

  private static func mark(_ standing: Timeline.Standing) -> String {
    switch standing {
    case .fine: "<span class=\"spoken\">done</span>"
    case .noted(let word): HTMLText.escaped(word)
    case .failed: "failed"
    case .wrong: "<strong>✗ wrong</strong>"
    }
  }
}
