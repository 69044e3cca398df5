/// Random programs on real threads, one after the other: those that the explorer plays, judged by the same account.
final class SoakPrograms: SoakPlayer {
  let rounds = Counter()
  private let seed: UInt64
  private let subjects: [any Subject.Type]
  private let lock = RecursiveLock()
  /// Safe because it is accessed only under the lock.
  private nonisolated(unsafe) var present: (name: String, world: World)?

  /// All that programs are played on; the accounts of the others are exact only on one thread (see ``SoakSharing``).
  static let subjects: [any Subject.Type] = [
    SerialSubject.self, KeyedSubject.self, RepositorySubject.self, FlightSubject.self,
  ]

  init(_ number: Int, on subjects: [any Subject.Type], seed: UInt64) {
    self.subjects = subjects
    self.seed = SplitMix.mixed(seed ^ 0x9209_7a35 &+ UInt64(number))
  }

  func work(while goesOn: @Sendable () -> Bool) async {
    var random = SplitMix(seed: seed)
    while goesOn() {
      let seed = random.next() >> 32
      await subjects[Int(seed % UInt64(subjects.count))].play(by: self, seed)
      rounds.up()
    }
  }

  /// What it is at.
  var state: String {
    guard let (name, world) = lock.locked({ present }) else { return "no program" }
    return world.locked { "\(name), where these have not ended: \(world.alive)\n\(world.trace)" }
  }

  fileprivate func play<S: Subject>(_: S.Type, _ seed: UInt64) async {
    let (name, world) = ("\(S.name), the program of seed \(seed)", World(onThreads: seed))
    lock.locked { present = (name, world) }
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

extension Subject {
  fileprivate static func play(by player: SoakPrograms, _ seed: UInt64) async { await player.play(Self.self, seed) }
}
