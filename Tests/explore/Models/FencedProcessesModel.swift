import SerialTasksFenced
@_spi(Testing) import SerialTasksFencedTesting

/// Two processes before one engine: while one of them asks for a key, it holds no greater one for a job that waits for its turn.
///
/// Otherwise they wait for each other for ever, and nothing is runnable.
struct FencedProcessesModel: Model {
  static let name = "fenced-processes"
  static let about = "two executors before one engine: jobs of one key and of several, cancelled, late, held back"
  static let mustMeet = [
    "a request waits for another process", "a job of several keys", "a job is late", "a job is cancelled",
    "a pause that waits", "a drain",
  ]

  struct Player {
    let name: String
    let process: Int
    let acts: [Act]
    let isCancelled: Bool
  }

  let world: World
  private let engine: FencedEngine
  private let executors: [FencedSerialTaskExecutor<HesitantKey>]
  private let jobs = Jobs()
  private let players: [Player]

  /// Safe because it is reached only from the one thread that the explorer uses.
  private final class Jobs: @unchecked Sendable {
    var running: [String: String] = [:]
    /// The number of the last grant of each key that a job of the process has used.
    var used: [Int: [String: UInt64]] = [:]
    var paused: Set<Int> = []
  }

  init(_ world: World) {
    self.world = world
    let keeping = [0, 0, 0, 2][world.random.below(4)]
    let engine = FencedEngine(world, isCalm: keeping > 0, isReliable: true)
    self.engine = engine
    executors = (0..<2).map { number in
      let clock = FlightClock(world, isHesitant: true)
      clock.isAlwaysHesitant = true
      return FencedSerialTaskExecutor(
        name: "process \(number)", access: FencedProcess(engine: engine, number: number),
        jobsPerAccess: world.random.within(1...4), keepsAccessFor: .milliseconds(keeping), clock: clock)
    }
    world.watch(engine, "the engine")
    for (number, executor) in executors.enumerated() {
      world.watch(executor, "the executor of process \(number)")
      world.probeLock { _ = (executor.snapshot, executor.keysInUse) }
    }
    var calls = 0
    let hasPauses = world.random.once(in: 3)
    players = (0..<2).flatMap { process in
      (0..<world.size(2...4, tiny: 1...2)).map { index in
        let acts = (0..<world.size(1...3, tiny: 1...2)).compactMap { _ -> Act? in
          calls += 1
          let act = FencedProcessesModel.act(&world.random, "j\(calls)", hasPauses: hasPauses)
          return world.keeps() ? act : nil
        }
        let name = "\(["a", "b", "c", "d"][index]) in process \(process)"
        return Player(name: name, process: process, acts: acts, isCancelled: world.random.once(in: 4))
      }
    }
  }

  private static func act(_ random: inout SplitMix, _ name: String, hasPauses: Bool) -> Act {
    switch random.below(15) {
    case 0...9: return .call(call(&random, name))
    case 10: return random.once(in: 3) ? .clear(key: ["x", "y", nil][random.below(3)]) : .steps(1)
    case 11:
      if !hasPauses { return .steps(2) }
      let waits = random.once(in: 2)
      return .pause(steps: 2 * random.below(3) + (waits ? 1 : 0), sleeps: false)
    case 12: return .sleep(1)
    case 13: return .drain(key: ["x", "y", nil][random.below(3)])
    default: return .steps(1 + random.below(2))
    }
  }

  private static func call(_ random: inout SplitMix, _ name: String) -> Call {
    let keys = [["x"], ["y"], ["y"], ["y"], ["x", "y"], ["y", "x"]][random.below(6)]
    let way = random.below(6)
    let number = way == 3 || way == 5 ? random.below(3) : nil
    var call = Call(
      name: name, label: nil, way: way < 4 ? .awaited : .submitted, touch: Touch(keys), isTyped: false,
      work: Work(steps: random.below(3)))
    if way == 3 { call.limit = number } else { call.cancelledAfter = number }
    return call
  }
}

// MARK: - What its tasks do

extension FencedProcessesModel {
  func start() {
    for player in players {
      let task = world.spawn(player.name) { for act in player.acts { await play(act, player) } }
      if player.isCancelled { world.cancelAnywhere(player.name, task) }
    }
  }

  private func play(_ act: Act, _ player: Player) async {
    switch act {
    case .call(let call): await make(call, player.process)
    case .clear(let key):
      world.note(player.name, "clears", key ?? "all")
      world.scheduler.uninterrupted {
        let executor = executors[player.process]
        if let key { executor.cancelAll(for: self.key(key)) } else { executor.cancelAll() }
      }
    case .drain(let key): await drain(key, player)
    case .pause(let steps, _): await pause(steps % 2 == 1, steps / 2, player)
    case .steps(let count): await world.steps(count)
    case .sleep(let time): await world.sleep(time)
    default: preconditionFailure("it is not drawn")
    }
  }

  private func key(_ name: String) -> HesitantKey { HesitantKey(name: name, world: world) }

  private func make(_ call: Call, _ process: Int) async {
    let (executor, keys) = (executors[process], call.touch.keys!.map(key))
    world.note(call.name, "asks for", "\(call.touch.keys!) of process \(process)")
    do {
      switch (call.way, call.limit) {
      case (.awaited, nil) where keys.count == 1:
        try await executor.enqueue(for: keys[0]) { await run(call, process, [keys[0]: $0]) }
      case (.awaited, let limit):
        try await executor.enqueue(touching: keys, waitingAtMost: limit.map { .milliseconds($0) }) {
          await run(call, process, $0)
        }
      default: submit(call, keys, process)
      }
    } catch is CancellationError {
      world.meet("a job is cancelled")
    } catch JobRejection.late {
      world.meet("a job is late")
    } catch { world.expect(error as? JobRejection == .withdrawn, "nothing else is thrown", "\(error)") }
  }

  private func submit(_ call: Call, _ keys: [HesitantKey], _ process: Int) {
    let executor = executors[process]
    let handle =
      keys.count == 1
      ? executor.submit(for: keys[0]) { await run(call, process, [keys[0]: $0]) }
      : executor.submit(touching: keys) { await run(call, process, $0) }
    handle.whenComplete { [world] _ in world.point() }
    guard let steps = call.cancelledAfter else { return }
    world.spawn("canceller of \(call.name)") { [world] in
      await world.steps(steps)
      world.note(call.name, "is cancelled by its handle")
      await world.calmly { handle.cancel() }
    }
  }

  private func run(_ call: Call, _ process: Int, _ fences: [HesitantKey: Fence]) async {
    world.note(call.name, "begins")
    for (key, fence) in fences { jobs.used[process, default: [:]][key.name] = fence.number }
    if fences.count > 1 { world.meet("a job of several keys") }
    world.expect(!engine.silent.contains(process), "no job begins in a pause", call.name)
    for key in call.touch.keys! {
      world.expect(
        engine.isHeld(key, by: process), "a job runs while its process has access", "\(call.name) on \(key)")
      world.expect(jobs.running.updateValue(call.name, forKey: key) == nil, "jobs of a key run one by one", call.name)
    }
    await world.steps(call.work.steps)
    world.note(call.name, "ends")
    for key in call.touch.keys! {
      world.expect(engine.isHeld(key, by: process), "access is held to the end of a job", "\(call.name) on \(key)")
      jobs.running[key] = nil
    }
  }

  private func drain(_ key: String?, _ player: Player) async {
    let (executor, used) = (executors[player.process], jobs.used[player.process] ?? [:])
    world.note(player.name, "drains", key ?? "all")
    do {
      if let key { try await executor.drain(for: self.key(key)) } else { try await executor.drain() }
      world.meet("a drain")
    } catch { return world.expect(error is CancellationError, "nothing else is thrown", "\(error)") }
    for (name, number) in used where key == nil || key == name {
      let held = engine.number(of: name, heldBy: player.process) ?? .max
      world.expect(held > number, "a drain ends when access is released that a job before it has used", name)
    }
  }

  private func pause(_ waits: Bool, _ steps: Int, _ player: Player) async {
    let (executor, process) = (executors[player.process], player.process)
    // Another that resumes would end this pause.
    guard jobs.paused.insert(process).inserted else { return }
    defer { jobs.paused.remove(process) }
    world.note(player.name, "pauses")
    do {
      if waits {
        try await executor.pauseAndWait()
        world.meet("a pause that waits")
        world.expect(!engine.isAsked(by: process), "paused means that no access is held or asked for", player.name)
        engine.silent.insert(process)
      } else {
        world.scheduler.uninterrupted { executor.pause() }
      }
      await world.steps(steps)
    } catch { world.expect(error is CancellationError, "a pause fails only when its caller is cancelled", "\(error)") }
    engine.silent.remove(process)
    world.note(player.name, "resumes")
    executor.resume()
  }

  func check() {
    world.expect(!engine.isBusy, "access is given back when no job waits")
    for (process, executor) in executors.enumerated() {
      world.expect(executor.keysInUse == 0, "an idle key costs nothing", "process \(process)")
    }
  }
}
