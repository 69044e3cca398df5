/// Shows how far a run has come, on standard error.
struct ProgressLine {
  private let console: Console
  private var meter: ProgressMeter
  private var isShown = false

  init(total: Int, console: Console) {
    self.console = console
    meter = ProgressMeter(total: total, isLive: console.isWatched)
  }

  mutating func advance(at time: Duration) {
    guard let text = meter.advance(at: time) else { return }
    console.complain(console.isWatched ? "\r\u{1B}[K\(text)" : "\(text)\n")
    isShown = true
  }

  /// Takes the line away where it would stay in the way.
  mutating func clear() {
    if isShown, console.isWatched { console.complain("\r\u{1B}[K") }
    isShown = false
  }
}
