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
    system = DeadlockSystem(world)
  }

  func start() {
    for (index, acts) in programs.enumerated() {
      let name = ["a", "b", "c", "d"][index]
      let tree = DeadlockRecord.Tree()
      let task = world.spawn(name) { [system] in await system.play(acts, DeadlockSystem.Place(name, tree: tree)) }
      if index == cancelled { world.cancelAnywhere(name, task) { system.record.cancel(tree) } }
    }
  }

  func check() {
    world.expect(
      system.record.unfinished.isEmpty && system.strangers == 0, "a run comes to its end, whichever call was rejected",
      "\(system.record.unfinished), \(system.strangers) unstructured tasks")
    world.expect(system.isIdle, "nothing waits or runs when all have ended")
    world.meet("a rejection", times: system.rejections)
    if system.rejections == 0, system.wasContended { world.meet("contention without a rejection") }
  }
}
