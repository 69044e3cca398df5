/// Decides when it is worth saying how far a run has come.
struct ProgressMeter {
  private let total: Int
  private let isLive: Bool
  private var ended = 0
  private var lastSaid: Duration = .zero

  /// Fewer calls than this are watched easily without.
  private static let fewest = 100

  /// - Parameters:
  ///   - total: How many calls there are.
  ///   - isLive: Whether what is said replaces what was said before, as on a terminal.
  init(total: Int, isLive: Bool) {
    self.total = total
    self.isLive = isLive
  }

  /// Takes note of a call that has ended.
  ///
  /// - Returns: What to say now, if anything.
  mutating func advance(at time: Duration) -> String? {
    ended += 1
    guard isDue(at: time) else { return nil }
    lastSaid = time
    return "\(ended) of \(total) calls played, \(Seconds.text(time))"
  }

  private func isDue(at time: Duration) -> Bool {
    let pause = time - lastSaid
    if isLive { return ended == total || pause >= .milliseconds(100) }
    if pause >= .seconds(10) { return true }
    guard total >= Self.fewest else { return false }
    return ended * 10 / total != (ended - 1) * 10 / total
  }
}
