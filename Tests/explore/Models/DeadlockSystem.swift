import CoalescingTasks

/// Plays programs on a real system, reports to the record what it does, and asks it whether each rejection was right.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class DeadlockSystem: @unchecked Sendable {
  typealias Turn = DeadlockRecord.Turn
  typealias Call = DeadlockRecord.Call
  typealias Tree = DeadlockRecord.Tree

  /// Where code runs: in whose turn, and in which tree of tasks.
  struct Place: Sendable {
    let name: String
    let turn: Turn?
    let tree: Tree

    init(_ name: String, in turn: Turn? = nil, tree: Tree = Tree()) {
      self.name = name
      self.turn = turn
      self.tree = tree
    }
  }

  static let keys = ["x", "y", "z"]

  let world: World
  let record: DeadlockRecord
  let clock: FlightClock
  let executors: [SerialTaskExecutor]
  let keyed: KeyedSerialTaskExecutor<String>
  let coalescers: [TaskCoalescer<Int, Int>]
  private(set) var repository: CoalescingTaskExecutor<Int>
  /// The newest flight of each key.
  var flights: [Turn?] = [nil, nil]
  /// What distinguishes reads, until and after they have a place.
  var reads: (calls: [String: Call], places: [UInt64: Turn]) = ([:], [:])
  private var lastRead = 0

  /// Unstructured tasks that have not ended.
  private(set) var strangers = 0
  private(set) var rejections = 0
  var wasContended = false

  init(_ world: World) {
    self.world = world
    coalescers = world.random.once(in: 2) ? [TaskCoalescer(name: "f")] : ["f", "g"].map { TaskCoalescer(name: $0) }
    let (keys, limit) = ([nil, 1, 2][world.random.below(3)], [nil, 1, 2][world.random.below(3)])
    let clock = FlightClock(world, isHesitant: false)
    self.clock = clock
    record = DeadlockRecord(keys: keys ?? .max, reads: limit ?? .max) { clock.milliseconds }
    executors = ["A", "B", "C"].map { SerialTaskExecutor(name: $0, clock: clock) }
    keyed = KeyedSerialTaskExecutor(name: "keys", maximumConcurrentJobs: keys, clock: clock)
    repository = CoalescingTaskExecutor(name: "repo")
    repository = CoalescingTaskExecutor(name: "repo", maximumConcurrentReads: limit, clock: clock) { [unowned self] in
      note($0)
    }
    world.watch(repository, "the repository")
    world.watch(keyed, "the executor of keys")
    for executor in executors { world.watch(executor, "executor \(executor.name!)") }
    for coalescer in coalescers { world.watch(coalescer, "coalescer \(coalescer.name!)") }
  }

  var isIdle: Bool {
    executors.allSatisfy { $0.snapshot.running == 0 && $0.snapshot.waiting == 0 }
      && keyed.snapshot.running == 0 && keyed.snapshot.waiting == 0
      && coalescers.allSatisfy { $0.snapshot.running == 0 && $0.snapshot.waiting == 0 }
      && repository.snapshot.waiting == 0
  }

  func nextRead() -> String {
    lastRead += 1
    return "read \(lastRead)"
  }
}

// MARK: - Playing

extension DeadlockSystem {
  func play(_ acts: DeadlockAct.Acts, _ place: Place) async {
    for act in acts {
      await world.step()
      await play(act, place)
    }
  }

  private func play(_ act: DeadlockAct, _ place: Place) async {
    switch act {
    case .step: await world.step()
    case .enqueue(let target, let acts, let isLimited): await enqueue(target, acts, isLimited, place)
    case .submit(let target, let acts): _ = submit(target, acts, place)
    case .submitAndAwait(let target, let acts, let meanwhile):
      let (handle, turn) = submit(target, acts, place)
      await play(meanwhile, place)
      let call = Call(turn.label, .value(turn), inside: place.turn, place.tree)
      await ask(call, place) { try await handle.value }
    case .flight(let key, let acts): await fly(key, acts, place)
    case .read(let key, let acts, let isLimited): await read(key, acts, isLimited, place)
    case .drainLine(let line):
      await drain(.line(line), executors[line].name!, place) { try await self.executors[line].drain() }
    case .drainKey(let key):
      let name = DeadlockSystem.keys[key]
      await drain(.key(key), "keys[\(name)]", place) { try await self.keyed.drain(for: name) }
    case .drainAllKeys: await drain(.keys, "keys", place) { try await self.keyed.drain() }
    case .drainRepository: await drain(.repository, "repo", place) { try await self.repository.drain() }
    case .group(let children):
      await withTaskGroup(of: Void.self) { group in
        for acts in children { group.addTask { await self.play(acts, place) } }
      }
    case .asyncLet(let one, let other):
      async let child: Void = play(one, place)
      await play(other, place)
      await child
    case .unstructured(let acts, let atOnce): startStranger(acts, place.name, atOnce)
    }
  }

  private func startStranger(_ acts: DeadlockAct.Acts, _ name: String, _ atOnce: Bool) {
    strangers += 1
    let play = { @Sendable in
      await self.play(acts, Place("\(name)'"))
      self.strangers -= 1
    }
    if atOnce { Task.immediate { await play() } } else { Task { await play() } }
  }
}

// MARK: - Asking, and what comes of it

extension DeadlockSystem {
  /// Makes a call, and checks how it ends.
  func ask(
    _ call: Call, _ place: Place, _ body: nonisolated(nonsending) () async throws -> Int
  ) async {
    if case .job(let turn) = call.needs { world.note(place.name, "asks for", "\(call.asked), as \(turn.id)") }
    record.begin(call)
    if call.inside != nil, record.mustWait(call) { wasContended = true }
    do {
      let answer = try await body()
      world.note(place.name, "is answered", "by \(call.asked) \(answer)")
      switch call.needs {
      case .job(let turn), .shared(let turn), .value(let turn):
        world.expect(turn.hasEnded && turn.id == answer, "an answer is of the job that was asked for, which has ended")
      case .idle: break
      case .unknown: world.expect(false, "a read is reported before it is answered")
      }
      record.end(call)
    } catch JobRejection.deadlock(let deadlock) {
      world.note(place.name, "is rejected", deadlock.path.joined(separator: " → "))
      world.expect(!record.leavesByItself(call), "a call that leaves by itself is no deadlock", call.asked)
      check(deadlock, call)
      record.giveUp(call)
    } catch JobRejection.late {
      world.note(place.name, "is late", call.asked)
      world.meet("a late call")
      world.expect(
        record.mayBeLate(call), "only a call with a limit is late, and only before it begins", call.asked)
      record.giveUp(call)
    } catch {
      world.note(place.name, "is cancelled", call.asked)
      let mayBe = error is CancellationError && place.tree.isCancelled
      world.expect(mayBe, "a call fails as a deadlock, or because its caller was cancelled", "\(call.asked): \(error)")
      record.giveUp(call)
    }
  }

  private func check(_ deadlock: DeadlockError, _ call: Call) {
    rejections += 1
    if deadlock.path.contains(where: { $0.contains(", ") }) { world.meet("a rejection of several keys") }
    let path = deadlock.path
    let verdicts = (call.verdicts.isEmpty ? [record.verdict(on: call)] : call.verdicts).filter(\.hangs)
    world.expect(!verdicts.isEmpty, "a call is rejected only if it would have waited for ever", "\(path)")
    if case .job(let turn) = call.needs { world.expect(!turn.hasBegun, "what is rejected never ran") }
    world.expect(
      verdicts.contains { $0.isCycle(path, of: call) }, "a cycle names what is asked for, and each waits for the next",
      "\(path), asked for \(call.asked)")
  }
}
