import CoalescingTasks

/// Plays programs on a real system, reports to the record what it does, and asks it whether each rejection was right.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class DeadlockSystem: @unchecked Sendable {
  typealias Acts = DeadlockAct.Acts
  typealias Turn = DeadlockRecord.Turn
  typealias Call = DeadlockRecord.Call
  typealias Tree = DeadlockRecord.Tree

  /// What a system is made of, apart from its lines.
  struct Parts {
    var coalescers = ["f"]
    /// How many slots each executor of keys has.
    var slots: [Int?]
    var slotsOfReads: Int?
    /// What a renewal does; `nil` if there is none, and no load.
    var renewal: Acts?
    /// Whether each job takes another step in the end.
    var linger = false
  }

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

  struct Reason: ReloadReason {
    let load: @Sendable () async -> Int
    var policy: SharingPolicy { .join }
  }

  static let keys = ["x", "y", "z"]

  let world: World
  let record: DeadlockRecord
  let clock: FlightClock
  let executors: [SerialTaskExecutor]
  let keyed: [KeyedSerialTaskExecutor<String>]
  let coalescers: [TaskCoalescer<Int, Int>]
  private(set) var repository: CoalescingTaskExecutor<Int>
  private(set) var screen: Reloader<Reason, Int>?
  private(set) var session: RenewingValue<Int>?
  /// The newest flight of each key, the load and the renewal.
  var flights: [DeadlockTarget: Turn] = [:]
  /// What distinguishes reads, until and after they have a place.
  var reads: (calls: [String: Call], places: [UInt64: Turn]) = ([:], [:])
  private var lastRead = 0
  private let lingers: Bool

  /// How many acts were begun, but for those of renewals.
  private(set) var played = 0
  private(set) var rejections = 0
  var wasContended = false

  init(_ world: World, _ parts: Parts) {
    self.world = world
    let clock = FlightClock(world, isHesitant: false)
    self.clock = clock
    var limits: [DeadlockRecord.Slot: Int] = [:]
    limits[.reads] = parts.slotsOfReads
    for (index, count) in parts.slots.enumerated() { limits[.keys(index)] = count }
    record = DeadlockRecord(limits) { clock.milliseconds }
    lingers = parts.linger
    executors = ["A", "B", "C"].map { SerialTaskExecutor(name: $0, clock: clock) }
    keyed = zip(["keys", "few"], parts.slots).map { name, slots in
      KeyedSerialTaskExecutor(name: name, maximumConcurrentJobs: slots, clock: clock)
    }
    coalescers = parts.coalescers.map { TaskCoalescer(name: $0) }
    repository = CoalescingTaskExecutor(name: "repo")
    repository = CoalescingTaskExecutor(name: "repo", maximumConcurrentReads: parts.slotsOfReads, clock: clock) {
      [unowned self] in note($0)
    }
    world.watch(repository, "the repository")
    for executor in keyed { world.watch(executor, "executor \(executor.name!)") }
    for executor in executors { world.watch(executor, "executor \(executor.name!)") }
    for coalescer in coalescers { world.watch(coalescer, "coalescer \(coalescer.name!)") }
    if let renewal = parts.renewal { share(renewal) }
  }

  private func share(_ renewal: Acts) {
    screen = Reloader(name: "screen", load: { await $0.load() }, apply: { _ in })
    session = RenewingValue(name: "session") { [unowned self] _ in
      let answer = await runShared(flights[.renewal], renewal, "session")
      played -= renewal.reduce(0) { $0 + $1.count }
      return Renewed(answer, validFor: .zero)
    }
    world.watch(screen!, "the screen")
    world.watch(session!, "the session")
  }

  func nextRead() -> String {
    lastRead += 1
    return "read \(lastRead)"
  }
}

// MARK: - Playing

extension DeadlockSystem {
  /// Starts a task, and cancels it if it is to be.
  func start(_ acts: Acts, as name: String, cancelledAfter steps: Int? = nil) {
    let tree = Tree()
    let task = world.spawn(name) { await self.play(acts, Place(name, tree: tree)) }
    if let steps { world.cancel(name, task, after: steps) { self.record.cancel(tree) } }
  }

  func play(_ acts: Acts, _ place: Place) async {
    for act in acts {
      await world.step()
      played += 1
      await play(act, place)
    }
    if lingers { await world.step() }
  }

  private func play(_ act: DeadlockAct, _ place: Place) async {
    switch act {
    case .step: await world.step()
    case .call(let target, let acts, let isLimited): await call(target, acts, isLimited, place)
    case .submit(let target, let acts, let meanwhile):
      let (handle, turn) = submit(target, acts, place)
      guard let meanwhile else { return }
      if !meanwhile.isEmpty { await play(meanwhile, place) }
      let call = Call(turn.label, .value(turn), inside: place.turn, place.tree)
      await ask(call, place) { try await handle.value }
    case .drain(let queue): await drain(queue, place)
    case .group(let children):
      await withTaskGroup(of: Void.self) { group in
        for acts in children { group.addTask { await self.play(acts, place) } }
      }
    case .asyncLet(let one, let other):
      async let child: Void = play(one, place)
      await play(other, place)
      await child
    case .unstructured(let acts, let atOnce):
      let name = "\(place.name)'"
      world.spawnInside(name, atOnce: atOnce) { await self.play(acts, Place(name)) }
    }
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

  func check() {
    world.expect(
      record.unfinished.isEmpty, "a run comes to its end, whichever call was rejected", record.unfinished)
    let executors = executors.map(\.snapshot) + keyed.map(\.snapshot)
    let isIdle =
      executors.allSatisfy { $0.running == 0 && $0.waiting == 0 } && repository.snapshot.waiting == 0
      && coalescers.allSatisfy { $0.snapshot.running == 0 && $0.snapshot.waiting == 0 }
    world.expect(isIdle, "nothing waits or runs when all have ended")
    world.meet("a rejection", times: rejections)
    if rejections == 0, wasContended { world.meet("contention without a rejection") }
  }
}
