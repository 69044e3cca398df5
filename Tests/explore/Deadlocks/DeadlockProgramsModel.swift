import SerialTasks

/// Random programs over everything that can be waited for: a call is rejected as a deadlock if it would never have returned,
/// and only then.
struct DeadlockProgramsModel: Model {
  static let mustMeet = [
    "a rejection", "a rejection of several keys", "contention without a rejection", "a late call",
    "a read in a turn of its key",
  ]
  static let name = "deadlock-programs"
  static let about = "programs over lines, key sets, flights, reads and writes: rejected exactly if they would hang"

  let world: World
  let system: DeadlockSystem
  private let programs: [DeadlockAct.Acts]
  private let cancelled: Int?

  init(_ world: World) {
    self.world = world
    var draw = DeadlockDraw(world)
    programs = (0..<world.size(2...4, tiny: 2...2)).map { draw.program($0, &world.random) }
    cancelled = world.random.once(in: 3) ? world.random.below(programs.count) : nil
    let coalescers = world.random.once(in: 2) ? ["f"] : ["f", "g"]
    let (slots, slotsOfReads) = ([nil, 1, 2][world.random.below(3)], [nil, 1, 2][world.random.below(3)])
    system = DeadlockSystem(world, .init(coalescers: coalescers, slots: [slots], slotsOfReads: slotsOfReads))
  }

  func start() {
    for (index, acts) in programs.enumerated() {
      let steps = index == cancelled ? world.random.below(3) : nil
      system.start(acts, as: ["a", "b", "c", "d"][index], cancelledAfter: steps)
    }
  }

  func check() { system.check() }
}
