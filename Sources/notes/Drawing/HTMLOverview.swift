/// The overview of a long run: how many waited, as a hill, over a strip of what ran.
struct HTMLOverview {
  let timeline: Timeline

  private static let stretches = 400
  private static let height = 90
  private static let strip = 12

  var text: String {
    let overview = Overview(timeline, stretches: Self.stretches)
    let spoken = """
      Over \(Seconds.text(overview.window.end)), \(Count.of(timeline.rows.count, "call")) ran and at most \
      \(overview.mostWaiting) waited at the same moment.
      """
    return """
      <figure>
      <svg viewBox="0 0 \(Self.stretches) \(Self.height + 4 + Self.strip)" preserveAspectRatio="none" role="img" \
      aria-label="\(spoken)">
      <path class="hill" d="\(hill(overview))"><title>\(spoken)</title></path>
      \(lanes(overview))
      </svg>
      <figcaption><span>0 s</span><span>how many calls wait (at most \(overview.mostWaiting)), and what runs</span>\
      <span>\(Seconds.text(overview.window.end))</span></figcaption>
      </figure>
      """
  }

  private func hill(_ overview: Overview) -> String {
    let most = max(overview.mostWaiting, 1)
    var path = "M0 \(Self.height)"
    for (index, stretch) in overview.stretches.enumerated() {
      let top = Self.height - stretch.waiting * Self.height / most
      path += "V\(top)H\(index + 1)"
    }
    return path + "V\(Self.height)Z"
  }

  /// Reads in the upper half of the strip and writes in the lower, so that neither hides the other.
  private func lanes(_ overview: Overview) -> String {
    let half = Self.strip / 2
    let top = Self.height + 4
    return lane("read", overview.stretches.map(\.hasRead), top, half) + "\n"
      + lane("write", overview.stretches.map(\.hasWrite), top + half, half)
  }

  private func lane(_ name: String, _ isBusy: [Bool], _ top: Int, _ height: Int) -> String {
    var path = ""
    var from: Int?
    for (index, isBusy) in (isBusy + [false]).enumerated() {
      if isBusy, from == nil { from = index }
      if !isBusy, let start = from {
        path += "M\(start) \(top)H\(index)V\(top + height)H\(start)Z"
        from = nil
      }
    }
    return "<path class=\"lane \(name)\" d=\"\(path)\"/>"
  }
}
