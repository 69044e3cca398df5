/// How often a race is run on real threads.
struct Rounds {
  private let many: Int
  /// Enough for every race to go both ways, also in the short form.
  private let most: Int
  private(set) var played = 0

  init(_ many: Int) {
    self.many = Effort.upTo(many)
    most = 20 * many
  }

  /// The next round; after the last there are more, up to twenty times the full number, if the race has not been seen to go
  /// both ways.
  ///
  /// Who wins is up to the machine, and a busy one may let the same side win for long.
  mutating func next(bothWays: Bool) -> Int? {
    guard played < many || (!bothWays && played < most) else { return nil }
    defer { played += 1 }
    return played
  }
}
