import Synchronization

/// Random programs on real threads, one after the other: those that the explorer plays, judged by the same account.
final class SoakPrograms: Sendable {
  let rounds = Counter()
  private let seed: UInt64
  private let present = Mutex<(name: String, world: World)?>(nil)

  init(_ number: Int, seed: UInt64) { self.seed = SplitMix.mixed(seed ^ 0x9209_7a35 &+ UInt64(number)) }

  func work(while goesOn: @Sendable () -> Bool) async {
    var random = SplitMix(seed: seed)
    while goesOn() {
      let seed = random.next() >> 32
      switch seed % 4 {
      case 0: await play(SerialSubject.self, seed)
      case 1: await play(KeyedSubject.self, seed)
      case 2: await play(RepositorySubject.self, seed)
      default: await play(FlightSubject.self, seed)
      }
      rounds.up()
    }
  }

  /// What it is at.
  var state: String {
    guard let (name, world) = present.withLock({ $0 }) else { return "no program" }
    return world.locked { "\(name), where these have not ended: \(world.alive)\n\(world.trace)" }
  }

  private func play<S: Subject>(_: S.Type, _ seed: UInt64) async {
    let (name, world) = ("\(S.name), the program of seed \(seed)", World(onThreads: seed))
    present.withLock { $0 = (name, world) }
    do {
      let model = ProgramModel<S>(world)
      model.start()
      await world.end()
      // What the library still does for those who have their answers ends by itself.
      while !model.settles() { await Task.yield() }
      model.check()
    }
    while !world.isBroken, !world.isReleased { await Task.yield() }
    if let broken = world.broken {
      Soak.fail("\(broken.promise): \(broken.detail)\nin \(name):\n\(world.trace)")
    }
  }
}
