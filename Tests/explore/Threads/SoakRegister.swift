extension SplitMix: RandomNumberGenerator {}

/// A register that readers and writers use, round after round, each with another.
final class SoakRegister: SoakPlayer {
  let rounds = Counter()
  private let seed: UInt64
  private let met = Register.Sight.allCases.map { ($0, Counter()) }

  init(seed: UInt64) { self.seed = SplitMix.mixed(seed ^ 0xda7a) }

  func work(while goesOn: @Sendable () -> Bool) async {
    var random = SplitMix(seed: seed)
    while goesOn() {
      let register = Register(workers: random.within(2...8), calls: random.within(1...30), &random)
      do { try await register.play() } catch { Soak.fail("a drain that is not cancelled throws nothing: \(error)") }
      let (broken, sights) = register.verdict
      if let broken { Soak.fail(broken) }
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
