/// How often a race is run on real threads.
struct Rounds {
  private let many: Int
  private(set) var played = 0

  init(_ many: Int) { self.many = Rounds.upTo(many) }

  /// Returns as many rounds as are asked for, and a tenth of them under ThreadSanitizer.
  ///
  /// It makes everything ten times slower, and needs no luck: it sees a race in every round, lost or won.
  static func upTo(_ many: Int) -> Int {
    #if SERIALTASKS_TSAN
      many / 10
    #else
      many
    #endif
  }

  /// The next round; after the last there are more, up to twenty times as many, if the race has not been seen to go both ways.
  ///
  /// Who wins is up to the machine, and a busy one may let the same side win for long.
  mutating func next(bothWays: Bool) -> Int? {
    guard played < many || (!bothWays && played < 20 * many) else { return nil }
    defer { played += 1 }
    return played
  }
}
