import SerialTasks

/// Reads and writes that call their own executor: reads of their keys run at once within the turn, writes of them are rejected, what touches other keys has places of its own, strangers queue.
struct ReadNestedModel: Model {
  static let name = "read-nested"
  static let about = "reads and writes that read, write and drain inside, with writes waiting, and start strangers"
  static let mustMeet = History.Sight.names(.merged, .apart, .together, .ahead)

  enum Way: CaseIterable {
    case readSameTask, readChild, readGroup, write, writeChild, awaitSubmitted, drain, strangerReads, strangerWrites
    case readOther, readOtherInChild, writeOther, readOtherAgain
  }

  let world: World
  let database: Database

  init(_ world: World) {
    self.world = world
    database = Database(world, limit: [nil, 1, 2][world.random.below(3)])
  }

  func start() {
    for (owner, name) in ["a", "b", "c"].prefix(world.size(2...3, tiny: 1...2)).enumerated() {
      let way = Way.allCases[world.random.below(Way.allCases.count)]
      let (call, other) = (DrawnCall(world), DrawnCall(world))
      // A turn of no key is in the way of no other.
      let keys = call.way == .read ? [call.key] : call.keys == [] ? nil : call.keys
      let work = Database.Work(steps: call.work.steps) { version in await inside(name, way, keys, version, other) }
      world.spawn(name) { [database] in
        switch call.way {
        case .read: await database.read(call.key, call.kind, work, owner: owner)
        case .write: await database.write(keys, work, owner: owner)
        case .submit: database.submit(keys, work, owner: owner)
        }
      }
    }
    for (owner, name) in ["d", "e"].prefix(world.size(1...2, tiny: 1...1)).enumerated() {
      let call = DrawnCall(world)
      world.spawn(name) { [database] in await call.make(of: database, owner: owner + 3) }
    }
    if world.random.once(in: 3) { pauses(after: world.random.below(6)) }
  }

  /// Holds everything that has not begun, but not what is read inside a turn.
  private func pauses(after steps: Int) {
    world.spawn("pauser") { [world, database] in
      await world.steps(steps)
      database.pause()
      await database.rest()
      database.resume()
    }
  }

  private func inside(_ name: String, _ way: Way, _ keys: [History.Key]?, _ version: Int, _ other: DrawnCall) async {
    let key = keys?.first ?? other.key
    world.expect(database.executor.isInJob, "a job knows that it is one", name)
    switch way {
    case .readSameTask:
      let step = world.scheduler.step
      await reads(name, key, version)
      world.expect(world.scheduler.step == step, "a read inside a turn runs at once", name)
    case .readChild:
      async let child: Void = reads(name, key, version)
      await child
    case .readGroup:
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await reads(name, key, version) } }
      }
    case .write: await mustBeRejected { try await database.executor.write {} }
    case .writeChild:
      async let child: Void = mustBeRejected { try await database.executor.write {} }
      await child
    case .awaitSubmitted:
      let handle = database.submit([key], other.work)
      await mustBeRejected(by: " in database[\(key)]") { _ = try await handle.value }
    case .drain: await mustBeRejected { try await database.executor.drain() }
    case .strangerReads:
      Task { [database] in await database.read(key, other.kind, other.work, owner: 9) }
    case .strangerWrites:
      Task { [database] in await database.write(other.keys, other.work, owner: 9) }
    case .readOther, .readOtherAgain: await touches(keys, other, writes: false)
    case .readOtherInChild:
      async let child: Void = touches(keys, other, writes: false)
      await child
    case .writeOther: await touches(keys, other, writes: true)
    }
  }

  /// Reads or writes another key than those of the turn, if there is one.
  private func touches(_ keys: [History.Key]?, _ other: DrawnCall, writes: Bool) async {
    guard let keys, let key = History.Key.allCases.first(where: { !keys.contains($0) }) else { return }
    if writes {
      await database.write([key], other.work, owner: 9, isInside: true)
    } else {
      await database.read(key, other.kind, other.work, owner: 9, isInside: true)
    }
  }

  /// A read in a turn is not shared, and reads what the turn has written.
  private func reads(_ name: String, _ key: History.Key, _ version: Int) async {
    do {
      let value = try await database.executor.read(key) { version }
      world.note(name, "has read inside")
      world.expect(value == version, "a read inside a turn is its own", name)
    } catch { world.expect(false, "a read inside a turn is not rejected", "\(name): \(error)") }
  }

  /// The first and the last name of the cycle are of what is asked for; between them may stand jobs of keys.
  private func mustBeRejected(by name: String = "database", _ call: @Sendable () async throws -> Void) async {
    let promise = "a job that would wait for its own turn is rejected"
    do {
      try await call()
      world.expect(false, promise, "it was let in")
    } catch JobRejection.deadlock(let deadlock) {
      let path = deadlock.path
      let isCycle = path.count > 1 && path.first == path.last && path[0].hasSuffix(name)
      world.expect(
        isCycle && path.allSatisfy { $0.contains("database") }, "a deadlock names its cycle", "\(path)")
    } catch { world.expect(false, promise, "\(error)") }
  }

  func check() { database.check(world) }
}
