import Histories
import SerialTasks

/// Callers that leave at any moment, those who lead a read and those who joined it, and writes that leave between reads.
struct ReadCancelModel: Model {
  static let name = "read-cancel"
  static let about = "readers and writers that are cancelled anywhere, leaders, joiners and what stands between them"
  static let mustMeet = History.Sight.names(.merged, .apart, .together, .left)

  let world: World
  let database: Database

  init(_ world: World) {
    self.world = world
    database = Database(world, limit: [nil, nil, 1, 2][world.random.below(4)])
  }

  func start() {
    for (owner, name) in ["a", "b", "c", "d", "e"].prefix(world.size(2...5, tiny: 2...3)).enumerated() {
      let calls = (0..<world.size(1...2, tiny: 1...1)).map { _ in DrawnCall(world) }
      let cancels = world.random.once(in: 2)
      let task = world.spawn(name) { [world, database] in
        for call in calls { await call.make(of: database, owner: owner, cancelling: cancels ? world : nil) }
      }
      if world.random.once(in: 2) { database.cancelAnywhere(world, name, task, owner: owner) }
    }
  }

  func check() { database.check(world) }
}
