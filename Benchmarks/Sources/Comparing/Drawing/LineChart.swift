import Foundation

/// Cost by depth, both logarithmic: a line for each candidate.
struct LineChart {
  struct Point {
    let depth: Int
    let value: Double
    /// From the fastest round to the slowest, where there are rounds.
    let spread: ClosedRange<Double>?
  }

  let title: String
  let label: (Double) -> String
  let lines: [(mark: Mark, name: String, points: [Point])]

  private static let size = (width: 460.0, height: 300.0)
  private static let plot = (left: 66.0, right: 436.0, top: 14.0, bottom: 256.0)

  var svg: String {
    let points = lines.flatMap(\.points)
    let plot = LineChart.plot
    let x = Scale(points.map { Double($0.depth) }, from: plot.left + 8, to: plot.right - 8)
    let values = points.flatMap { [$0.value, $0.spread?.lowerBound, $0.spread?.upperBound].compactMap(\.self) }
    let y = Scale(values.filter { $0 > 0 }, from: plot.bottom, to: plot.top)
    return """
      <figure><figcaption>\(title.escaped)</figcaption>
      <svg viewBox="0 0 \(LineChart.size.width.short) \(LineChart.size.height.short)" role="img" aria-label="\(title.escaped)">
      \(grid(x, y))
      \(drawn(x, y))
      </svg></figure>
      """
  }

  private func drawn(_ x: Scale, _ y: Scale) -> String {
    inOrderOfDrawing.enumerated().map { index, line in
      // Spreads stand beside each other, so that each can be seen.
      let aside = (Double(index) - Double(lines.count - 1) / 2) * 1.5
      return draw(line.mark, line.name, line.points.filter { $0.value > 0 }, x, y, aside: aside)
    }.joined(separator: "\n")
  }

  /// The library last, so that nothing hides it.
  private var inOrderOfDrawing: [(mark: Mark, name: String, points: [Point])] {
    lines.filter { $0.mark.role != .library } + lines.filter { $0.mark.role == .library }
  }

  private func grid(_ x: Scale, _ y: Scale) -> String {
    let plot = LineChart.plot
    var parts = y.ticks.map { tick in
      """
      <line class="grid" x1="\(plot.left.short)" x2="\(plot.right.short)" y1="\(tick.position.short)" y2="\(tick.position.short)"/>\
      <text class="left" x="\((plot.left - 8).short)" y="\((tick.position + 4).short)">\(label(tick.value))</text>
      """
    }
    parts += Set(lines.flatMap(\.points).map(\.depth)).sorted().map { depth in
      let place = x(Double(depth)).short
      return """
        <line class="grid" x1="\(place)" x2="\(place)" y1="\(plot.top.short)" y2="\(plot.bottom.short)"/>\
        <text class="below" x="\(place)" y="\((plot.bottom + 18).short)">\(depth.grouped)</text>
        """
    }
    let middle = (plot.left + plot.right) / 2
    parts.append("<text class=\"below\" x=\"\(middle.short)\" y=\"\((plot.bottom + 38).short)\">depth</text>")
    return parts.joined(separator: "\n")
  }

  private func draw(
    _ mark: Mark, _ name: String, _ points: [Point], _ x: Scale, _ y: Scale, aside: Double
  ) -> String {
    let places = points.map { (x: x(Double($0.depth)), y: y($0.value)) }
    let line = places.map { "\($0.x.short),\($0.y.short)" }.joined(separator: " ")
    let spreads = points.compactMap { point in
      point.spread.map { spread in
        let place = (x(Double(point.depth)) + aside).short
        return "<line class=\"spread\" x1=\"\(place)\" x2=\"\(place)\" "
          + "y1=\"\(y(spread.lowerBound).short)\" y2=\"\(y(spread.upperBound).short)\"/>"
      }
    }
    return """
      <g class="\(mark.colour)"><title>\(name.escaped)</title><polyline points="\(line)"/>\
      \(spreads.joined())\(places.map { mark.shape($0.x, $0.y) }.joined())</g>
      """
  }
}
