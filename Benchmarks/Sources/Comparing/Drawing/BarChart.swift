/// Cost at one depth: a bar for each candidate, from zero.
struct BarChart {
  let title: String
  let bars: [(mark: Mark, name: String, value: Double, label: String)]

  private static let (width, row) = (460.0, 44.0)

  var svg: String {
    let height = BarChart.row * Double(bars.count) + 6
    let longest = bars.map(\.value).max() ?? 1
    let drawn = bars.enumerated().map { index, bar in
      let top = BarChart.row * Double(index)
      let length = Swift.max(2, bar.value / longest * (BarChart.width - 4))
      return """
        <text class="name" x="2" y="\((top + 17).short)">\(bar.name.escaped)</text>\
        <text class="left" x="\((BarChart.width - 2).short)" y="\((top + 17).short)">\(bar.label.escaped)</text>\
        <g class="\(bar.mark.colour)"><rect x="2" y="\((top + 23).short)" width="\(length.short)" height="12" rx="2"/></g>
        """
    }
    return """
      <figure><figcaption>\(title.escaped)</figcaption>
      <svg viewBox="0 0 \(BarChart.width.short) \(height.short)" role="img" aria-label="\(title.escaped)">
      \(drawn.joined(separator: "\n"))
      </svg></figure>
      """
  }
}
