import Histories
import SerialTasks

/// Writes that say what they touch, between reads of those keys and of others.
struct TouchModel: Model {
  static let name = "touching"
  static let about =
    "writes of one key, of several and of all, and reads: no wait, and no lost merge, where keys differ"
  static let mustMeet = History.Sight.names(.merged, .apart, .together, .beside, .across, .overlapping)

  let world: World
  let database: Database

  init(_ world: World) {
    self.world = world
    database = Database(world, limit: [nil, nil, 1, 2][world.random.below(4)])
  }

  func start() {
    for (owner, name) in ["a", "b", "c", "d", "e"].prefix(world.size(3...5, tiny: 2...3)).enumerated() {
      let calls = (0..<world.size(1...4, tiny: 1...1)).map { _ in DrawnCall(world, writes: 3) }
      let cancels = world.random.once(in: 4)
      let task = world.spawn(name) { [world, database] in
        for call in calls { await call.make(of: database, owner: owner, cancelling: cancels ? world : nil) }
      }
      if world.random.once(in: 6) { database.cancelAnywhere(world, name, task, owner: owner) }
    }
  }

  func check() { database.check(world) }
}
