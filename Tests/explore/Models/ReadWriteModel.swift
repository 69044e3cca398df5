import Histories
import SerialTasks

/// Readers and writers of two keys, all of whom stay.
struct ReadWriteModel: Model {
  static let name = "read-write"
  static let about = "readers of two keys and three kinds, and writers, with a limit of reads or none"
  static let mustMeet = History.Sight.names(.merged, .apart, .together)

  let world: World
  let database: Database

  init(_ world: World) {
    self.world = world
    database = Database(world, limit: [nil, nil, 1, 2][world.random.below(4)])
  }

  func start() {
    for (owner, name) in ["a", "b", "c", "d", "e"].prefix(world.size(2...5, tiny: 2...3)).enumerated() {
      let calls = (0..<world.size(1...3, tiny: 1...1)).map { _ in DrawnCall(world) }
      let priority: TaskPriority = [.background, .medium, .high][world.random.below(3)]
      world.spawn(name, priority: priority) { [database] in
        for call in calls { await call.make(of: database, owner: owner) }
      }
    }
  }

  func check() { database.check(world) }
}
