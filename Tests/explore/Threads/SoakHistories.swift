extension SplitMix: RandomNumberGenerator {}

/// Random readers and writers of one executor on real threads, round after round, each with its history.
final class SoakHistories: Sendable {
  let rounds = Counter()
  private let seed: UInt64
  private let met = History.Sight.allCases.map { ($0, Counter()) }

  init(seed: UInt64) { self.seed = SplitMix.mixed(seed ^ 0xda7a) }

  func work(while goesOn: @Sendable () -> Bool) async {
    var random = SplitMix(seed: seed)
    while goesOn() {
      let history = await HistoryRound(workers: random.within(2...8), calls: random.within(1...30), &random).play()
      if let broken = history.check() { Soak.fail("\(broken.promise): \(broken.detail)") }
      let sights = history.sights
      for (sight, count) in met where sights.contains(sight) { count.up() }
      rounds.up()
    }
  }

  /// Rounds that never meet what they are about show nothing.
  func checkSights() {
    guard rounds.value > 1_000, let missing = met.first(where: { $0.1.value == 0 })?.0 else { return }
    Soak.fail("a campaign meets what it is about: \(missing)")
  }
}
