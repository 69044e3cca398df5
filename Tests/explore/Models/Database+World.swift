import SerialTasks

extension Surroundings {
  /// The explorer's: everything is decided by the strategy.
  init(_ world: World) {
    self.init(
      step: { await world.step() },
      rest: {
        // Time moves on when no task can go on any more.
        await world.sleep(1)
        return true
      }, point: { world.point() }, isQuiet: { world.isQuiet },
      note: { world.note($0, $1, $2) })
  }
}

extension Database {
  convenience init(_ world: World, limit: Int? = nil, capacity: Int? = nil) {
    self.init(History(limit: limit, capacity: capacity, isExact: true), on: Surroundings(world))
    world.watch(executor, "the executor")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  /// Cancels the task that makes these calls wherever the strategy places it.
  func cancelAnywhere(_ world: World, _ name: String, _ task: Task<Void, Never>, owner: Int) {
    world.cancelAnywhere(name, task) { [log] in log.cancels(owner: owner) }
  }

  /// Cancels a submitted write wherever the strategy places it.
  func cancelAnywhere(_ world: World, _ handle: SubmittedJob<History.Value>) {
    let steps = world.random.below(3)
    world.spawn("canceller of \(handle.name ?? "?")") { [self] in
      await world.steps(steps)
      cancel(handle)
    }
  }

  /// What must be true when every task has ended.
  func check(_ world: World) {
    let history = log.history
    if let broken = history.check() { world.expect(false, broken.promise, broken.detail) }
    for sight in history.sights { world.meet(sight.rawValue) }
    let snapshot = executor.snapshot
    let isFree = snapshot.waiting == 0 && snapshot.running == 0
    world.expect(isFree, "nothing is lost: the line is free in the end", "\(snapshot)")
  }
}

extension History.Sight {
  static func names(_ sights: History.Sight...) -> [String] { sights.map(\.rawValue) }
}

/// A read or a write that a model draws.
struct DrawnCall: Sendable {
  enum Way { case read, write, submit }

  let way: Way
  let key: History.Key
  /// What a write touches; `nil` is every key.
  let keys: [History.Key]?
  let kind: History.Kind
  let work: Database.Work

  /// Four reads for so many writes; one call in four throws, one read in four is of another kind.
  init(_ world: World, writes: Int = 2) {
    way = [.read, .read, .read, .read, .write, .submit, .submit][world.random.below(4 + writes)]
    key = History.Key.allCases[world.random.below(world.isTiny ? 2 : 3)]
    keys = [[key], [key], History.Key.set(using: &world.random)][world.random.below(3)]
    kind = world.random.once(in: 4) ? History.Kind.allCases[world.random.below(3)] : .number
    work = Database.Work(
      steps: world.random.below(3), fails: world.random.once(in: 4), rests: world.random.once(in: 4))
  }

  /// Makes the call; a submitted write is cancelled anywhere if there is a world to do that in.
  func make(of database: Database, owner: Int, cancelling world: World? = nil) async {
    switch way {
    case .read: await database.read(key, kind, work, owner: owner)
    case .write: await database.write(keys, work, owner: owner)
    case .submit:
      let handle = database.submit(keys, work, owner: owner)
      if let world { database.cancelAnywhere(world, handle) }
    }
  }
}
