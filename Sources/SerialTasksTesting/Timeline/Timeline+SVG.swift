extension Timeline {
  /// Draws the chart as an SVG picture of at most `lines` lines (12 or more), light or dark as the reader prefers.
  ///
  /// Each row has a title, for tooltips and screen readers. There is no script, and nothing is loaded.
  public func svg(lines: Int = 100) -> String {
    let page = TimelinePage(self, width: 120, lines: max(lines, 12))
    let height = page.lines.count * 22 + 24
    func x(_ column: Int) -> Double { 16 + Double(column) * 6.9 }
    func xml(_ text: String) -> String { text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"]) }
    func text(_ text: String, _ column: Int, _ line: Int, _ kind: String) -> String {
      "<text class=\"\(kind)\" x=\"\(x(column))\" y=\"\(30 + line * 22)\">\(xml(text))</text>"
    }
    let grid = page.lines[0].texts.map { column, _ in "<path class=\"grid\" d=\"M\(x(column)) 38V\(height - 34)\"/>" }
    let lines = page.lines.enumerated().map { index, line in
      let inks = line.inks.map { ink, columns in
        let (kind, width) = ("c\(ink.look.color) \(ink)", Double(columns.count) * 6.9)
        if ink.isMark { return text(ink.look.sign, columns.lowerBound, index, kind) }
        return "<path class=\"\(kind)\" d=\"M\(x(columns.lowerBound)) \(25 + index * 22)h\(width)\"/>"
      }
      let texts = line.texts.map { text($1, $0, index, line.isTitle ? "title" : "words") }
      return "<g role=\"img\"><title>\(xml(line.tooltip))</title>\((inks + texts).joined())</g>"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 864 \(height)" width="864" height="\(height)" font-size="13" \
      font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"><title>What ran</title>
      <style>text{white-space:pre;fill:currentColor}path,rect{stroke:currentColor}.title{font-weight:600}
      .runs,.shares{stroke-width:14}.shares{stroke-dasharray:2 2}.waits,.drafted{stroke-width:4}
      .drafted{stroke-linecap:round;stroke-dasharray:0 6}svg{color:#1d2330}rect{fill:#fff}.grid{color:#dfe2e8}
      .c90{color:#6b7688}.c31{color:#b3261e}.c33{color:#8a5200}.c34{color:#2468b4}.c36{color:#0c7a74}
      @media (prefers-color-scheme:dark){svg{color:#e8eaf0}rect{fill:#14171d}.grid{color:#2f3541}
      .c90{color:#929cae}.c31{color:#ff8a80}.c33{color:#f0b34a}.c34{color:#6aa5f0}.c36{color:#4fc3ba}}</style>
      <rect class="grid" x=".5" y=".5" width="863" height="\(height - 1)" rx="10"/>
      \((grid + lines).joined(separator: "\n"))
      </svg>
      """
  }
}
