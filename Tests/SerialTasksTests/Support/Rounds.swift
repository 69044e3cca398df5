/// How many rounds of a race are played, and whether they went both ways.
struct Rounds {
  private let many: Int
  /// Enough for every race to go both ways, also in the short form.
  private let most: Int
  private(set) var played = 0
  private let start = ContinuousClock.now
  private var isGivenUp = false

  /// How long a race that goes one way is played: a machine that does other work as well may not be able to decide it.
  private static let patience = Duration.seconds(20)

  init(_ many: Int) {
    self.many = Effort.upTo(many)
    most = 20 * many
  }

  /// The next round; after the last there are more, up to twenty times the full number, if the race has not been seen to go
  /// both ways.
  ///
  /// Who wins is up to the machine, and a busy one may let the same side win for long. On one core there are no more rounds.
  mutating func next(bothWays: Bool) -> Int? {
    guard played < many || (!bothWays && played < most && Cores.areTwo) else { return nil }
    if played >= many, ContinuousClock.now - start > Rounds.patience {
      isGivenUp = true
      return nil
    }
    defer { played += 1 }
    return played
  }

  /// Whether the race was one: it has gone both ways, or there is only one core, on which no two threads can meet, or none was left
  /// for it by other work.
  func met(_ bothWays: Bool) -> Bool { bothWays || !Cores.areTwo || isGivenUp }
}
