import SerialTasks
import Synchronization

extension History.Key {
  /// What a write touches: most often one key, or every key, or two in any order; more rarely none.
  package static func set(using random: inout some RandomNumberGenerator) -> [History.Key]? {
    let keys = allCases.shuffled(using: &random)
    return [[keys[0]], [keys[0]], [keys[0], keys[1]], [keys[0], keys[1]], keys, nil, nil, []][
      Int.random(in: 0..<8, using: &random)]
  }
}

/// One history on real threads: random readers and writers, for as many calls as are asked for, and then the check.
package struct HistoryRound: Sendable {
  private enum Act: Sendable { case read, write, writeAndRead, submit, submitAndCancel, pause, clear, drain }

  private struct Step: Sendable {
    let act: Act
    let key: History.Key
    /// What a write touches.
    let keys: [History.Key]?
    let kind: History.Kind
    let work: Database.Work
    let spins: Int
  }

  private let limit: Int?
  private let capacity: Int?
  private let workers: [[Step]]
  /// Which workers are cancelled, and after how many spins.
  private let cancels: [Int: Int]
  private let logsOut: Bool

  package init(workers: Int, calls: Int, _ random: inout some RandomNumberGenerator) {
    limit = [nil, nil, 1, 2].randomElement(using: &random)!
    capacity = Int.random(in: 0..<5, using: &random) == 0 ? Int.random(in: 2...8, using: &random) : nil
    let isDisturbed = Bool.random(using: &random)
    var cancels: [Int: Int] = [:]
    self.workers = (0..<workers).map { worker in
      if Int.random(in: 0..<3, using: &random) == 0 { cancels[worker] = Int.random(in: 0..<20_000, using: &random) }
      return (0..<calls).map { _ in HistoryRound.step(isDisturbed, &random) }
    }
    self.cancels = cancels
    logsOut = Int.random(in: 0..<4, using: &random) == 0
  }

  private static func step(_ isDisturbed: Bool, _ random: inout some RandomNumberGenerator) -> Step {
    var acts: [Act] = [.read, .read, .read, .read, .read, .read, .write, .writeAndRead, .submit, .submitAndCancel]
    if isDisturbed { acts += [.pause, .clear, .drain] }
    return Step(
      act: acts.randomElement(using: &random)!, key: History.Key.allCases.randomElement(using: &random)!,
      keys: History.Key.set(using: &random),
      kind: Bool.random(using: &random) ? .number : History.Kind.allCases.randomElement(using: &random)!,
      work: Database.Work(
        steps: Int.random(in: 0..<4, using: &random), fails: Int.random(in: 0..<5, using: &random) == 0),
      spins: Int.random(in: 0..<300, using: &random))
  }

  /// Plays it, on the threads of the pool.
  package func play() async -> History {
    let database = Database(History(limit: limit, capacity: capacity), on: .threads)
    await withTaskGroup(of: Void.self) { group in
      for (owner, steps) in workers.enumerated() {
        let task = Task.detached(priority: [.low, .medium, .high][owner % 3]) {
          for step in steps { await play(step, database, owner) }
        }
        if let spins = cancels[owner] { group.addTask { cancel(task, owner, database, after: spins) } }
        group.addTask { await task.value }
      }
    }
    if logsOut {
      database.close()
      database.cancelAll()
    }
    await database.drain()
    return database.log.history
  }

  private func play(_ step: Step, _ database: Database, _ owner: Int) async {
    switch step.act {
    case .read: await database.read(step.key, step.kind, step.work, owner: owner)
    case .write: await database.write(step.keys, step.work, owner: owner)
    case .writeAndRead:
      // Inside the turn, of another key: two that do so may be rejected as a deadlock.
      let other = History.Key.allCases[(step.key.rawValue + 1) % History.Key.allCases.count]
      let work = Database.Work(steps: step.work.steps, fails: step.work.fails) { _ in
        await database.read(other, step.kind, step.work, owner: owner, isInside: true)
      }
      await database.write([step.key], work, owner: owner)
    case .submit: database.submit(step.keys, step.work, owner: owner)
    case .submitAndCancel:
      let handle = database.submit(step.keys, step.work, owner: owner)
      spin(step.spins)
      database.cancel(handle)
    case .pause:
      database.pause()
      spin(step.spins)
      database.resume()
    case .clear: database.cancelAll()
    case .drain: await database.drain()
    }
  }

  private func cancel(_ task: Task<Void, Never>, _ owner: Int, _ database: Database, after spins: Int) {
    spin(spins)
    database.log.cancels(owner: owner)
    task.cancel()
  }

  /// Passes a moment without giving up the thread.
  private func spin(_ rounds: Int) {
    let passed = Atomic(0)
    for _ in 0..<rounds { passed.add(1, ordering: .relaxed) }
  }
}
