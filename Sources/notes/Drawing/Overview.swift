/// A long run in few numbers: how many calls waited, and what ran, in each of equal stretches of its time.
struct Overview {
  struct Stretch: Equatable {
    /// The most calls that waited at one moment of it.
    var waiting = 0
    /// Whether a read, or a write, ran in it.
    var hasRead = false
    var hasWrite = false
  }

  let window: Window
  let stretches: [Stretch]

  var mostWaiting: Int { stretches.map(\.waiting).max() ?? 0 }

  init(_ timeline: Timeline, stretches count: Int) {
    window = timeline.window
    var stretches = [Stretch](repeating: Stretch(), count: count)
    let window = window
    func index(_ moment: Double) -> Int { min(Int(window.position(moment) * Double(count)), count - 1) }

    for row in timeline.rows {
      guard let running = row.running else { continue }
      for at in index(row.started)...index(row.finished) {
        if running == .read { stretches[at].hasRead = true } else { stretches[at].hasWrite = true }
      }
    }
    // Those who began at a moment no longer wait in it; so ends come first. Who began at once never waited.
    let rows = timeline.rows.filter { $0.started > $0.asked }
    let changes = rows.map { (at: $0.asked, change: 1) } + rows.map { (at: $0.started, change: -1) }
    var waiting = 0
    var reached = 0
    for (moment, change) in changes.sorted(by: { ($0.at, $0.change) < ($1.at, $1.change) }) {
      let at = index(moment)
      // Up to this change as many waited as after the one before.
      for between in reached...at { stretches[between].waiting = max(stretches[between].waiting, waiting) }
      waiting += change
      stretches[at].waiting = max(stretches[at].waiting, waiting)
      reached = at
    }
    self.stretches = stretches
  }
}
