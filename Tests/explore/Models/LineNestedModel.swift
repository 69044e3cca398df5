import SerialTasks

/// Jobs of one line that wait for another, always in the same order, so that no call is rejected; with cancels.
struct LineNestedModel: Model {
  static let name = "line-nested"
  static let about = "jobs of one line that call another, in one order, some cancelled anywhere"

  let world: World
  let outer: Ledger
  let inner: Ledger

  init(_ world: World) {
    self.world = world
    outer = Ledger(world, name: "outer")
    inner = Ledger(world, name: "inner")
  }

  func start() {
    for name in ["a", "b", "c"].prefix(world.size(2...3, tiny: 2...2)) {
      let work = Ledger.Work(&world.random)
      let nests = !world.random.once(in: 3)
      let task = world.spawn(name) { [inner] in
        if nests { await nested(name, work) } else { await inner.enqueue("in \(name)", work) }
      }
      if world.random.once(in: 3) {
        world.cancelAnywhere(name, task) {
          outer.forbid("out \(name)")
          inner.forbid("in \(name)")
        }
      }
    }
  }

  private func nested(_ name: String, _ work: Ledger.Work) async {
    await outer.enqueue("out \(name)") { await inner.enqueue("in \(name)", work) }
  }

  func check() {
    outer.check()
    inner.check()
  }
}
