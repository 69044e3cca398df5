/// Whether the explorer finds what is wrong in models that are, and makes the schedules that show it small.
enum SelfCheck {
  /// Updates of one number, each of which reads, may be preempted, and writes: two of them lose one.
  private struct LostUpdate: Model {
    static let name = "lost-update"
    static let about = "wrong: updates that are not atomic, among tasks that do nothing to it"

    /// Safe because it is reached only from the one thread that the explorer uses.
    final class Number: @unchecked Sendable { var value = 0 }

    let world: World
    let number = Number()
    let updates: [Bool]

    init(_ world: World) {
      self.world = world
      updates = (0..<6).map { _ in
        let isUpdate = world.random.once(in: 2)
        return world.keeps() && isUpdate
      }
    }

    func start() {
      for (index, isUpdate) in updates.enumerated() {
        world.spawn("task \(index)") { [world, number] in
          await world.step()
          guard isUpdate else { return }
          let read = number.value
          world.point()
          number.value = read + 1
        }
      }
    }

    func check() {
      world.expect(number.value == updates.count { $0 }, "no update is lost", "\(number.value)")
    }
  }

  /// Fails only if each of two tasks is preempted.
  private struct TwicePreempted: Model {
    static let name = "twice-preempted"
    static let about = "wrong: fails if two tasks are preempted in the middle"

    let world: World
    let inside = LostUpdate.Number()

    init(_ world: World) { self.world = world }

    func start() {
      for name in ["a", "b", "c"] {
        world.spawn(name) { [world, inside] in
          inside.value += 1
          world.point()
          world.expect(inside.value < 3, "not all are inside at once", name)
          inside.value -= 1
        }
      }
    }

    func check() {}
  }

  /// - Returns: The status of the process.
  static func run() -> Int32 {
    let runner = Runner()
    var wrong: [String] = []
    var lost = Campaign(LostUpdate.self, strategy: .random, schedules: 2_000, firstSeed: 1, runner: runner)
    if let failure = lost.run() {
      let small = Smaller.failure(failure, runner)
      let again = runner.run(small.schedule)
      if again.broken?.promise != failure.promise { wrong.append("a small schedule breaks the same promise") }
      if small.preemptions.count != 1 || small.schedule.choices?.count != 1 {
        wrong.append("one preemption is enough: \(small)")
      }
      if small.parts - small.schedule.dropped.count != 2 { wrong.append("two updates are enough: \(small)") }
    } else {
      wrong.append("a lost update is found")
    }
    var once = Campaign(TwicePreempted.self, strategy: .exhaustive, schedules: 2_000, firstSeed: 1, runner: runner)
    if once.run() != nil { wrong.append("one preemption is not two") }
    var twice = Campaign(
      TwicePreempted.self, strategy: .exhaustive, schedules: 2_000, firstSeed: 1, runner: runner, preemptions: 2)
    if twice.run() == nil { wrong.append("two preemptions are tried") }
    for what in wrong { complain("self-check: not so: \(what)") }
    return wrong.isEmpty ? 0 : 1
  }
}
