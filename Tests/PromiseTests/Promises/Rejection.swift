import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func closed() async throws {
    let holder = isInLine ? await stage.hold() : nil
    let gate = Gate()
    let accepted = stage.start(isInLine ? work("accepted") : held(gate))
    if !isInLine { await gate.waitForArrivals() }
    desk.close()
    let late = stage.start(work("late"))
    await expect(late, .rejected(.closed))
    try await holder?.release()
    gate.open()
    await expect(accepted, .value(1))
    try await expectIdle()
    // Nor does it take what it would run at once.
    await expect(stage.start(work("late")), .rejected(.closed))
    expectRan([isInLine ? "accepted" : "not cancelled"])
  }

  func full() async throws {
    let holder = await stage.hold()
    let waiting = exclusive("waiting")
    let pending = stage.start(work())
    let isOfKey = ["KeyedSerialTaskExecutor", "FencedSerialTaskExecutor"].contains(way.type)
    await expect(pending, .rejected(isOfKey ? .keyFull(capacity: 1) : .full(capacity: 1)))
    try await holder.release()
    try await waiting.value
    expectRan(["waiting"])
    // There is room again.
    await expect(stage.start(work()), .value(1))
  }

  func fullOverKeys() async throws {
    // What waits touches nothing that the work touches, and only the pause is in the way of both.
    desk.pause()
    let waiting = stage.elsewhere { log("elsewhere") }
    await expect(stage.start(work()), .rejected(.full(capacity: 1)))
    desk.resume()
    try await waiting.value
    expectRan(["elsewhere"])
    // There is room again, and what need not wait needs none.
    await expect(stage.start(work()), .value(1))
    if way.has(.asksForAccess) { try await fullOfThoseWithoutAccess() }
  }

  /// Fails if: what waits for access needs no room, for what comes behind it or for what asks for another.
  private func fullOfThoseWithoutAccess() async throws {
    let access = Gate()
    settings.access.put(access)
    let first = stage.start(work("with access"))
    await access.waitForArrivals()
    await expect(stage.start(work()), .rejected(.full(capacity: 1)))
    await #expect(throws: JobRejection.full(capacity: 1)) { try await stage.elsewhere {}.value }
    access.open()
    await expect(first, .value(1))
  }

  func late() async throws {
    let clock = settings.clock
    let holder = await stage.hold()
    var patient = work("late")
    patient.limit = .seconds(2)
    let pending = stage.start(patient)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(desk.counts.waiting == 1)
    clock.advance(by: .seconds(1))
    await expect(pending, .rejected(.late))
    for seconds in [0, -1] {
      patient.limit = .seconds(seconds)
      await expect(stage.start(patient), .rejected(.late))
      guard settings.isObserved else { continue }
      let told = settings.events.entries.last
      #expect(told?.kind.name == "rejected" && told?.job == "work" && told?.place == nil && told?.waited == .zero)
    }
    // One that has begun in time is not limited.
    let gate = Gate()
    var inTime = held(gate)
    inTime.limit = .seconds(1)
    let running = stage.start(inTime)
    try await holder.release()
    await gate.waitForArrivals()
    clock.advance(by: .seconds(9))
    gate.open()
    await expect(running, .value(1))
    expectRan(["not cancelled"])
    try await expectIdle()
    // The end of a pause is waited for no longer.
    desk.pause()
    patient.limit = .seconds(1)
    let paused = stage.start(patient)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    await expect(paused, .rejected(.late))
    desk.resume()
    try await until { clock.alarms.isEmpty }
    // The wait for access takes time; else one that need not wait has no timer, and needs no time.
    if way.has(.asksForAccess) { return }
    for seconds in [1, 0] {
      var free = Work { () throws(WorkError) in clock.alarms.count }
      free.limit = .seconds(seconds)
      await expect(stage.start(free), .value(0))
    }
  }

  func replaced() async throws {
    let holder = await stage.hold()
    let old = stage.start(work("old"))
    let newer = [2, 3].map { stage.start(work("new \($0)", returning: $0)) }
    #expect(desk.counts.waiting == 1)
    // One that comes behind another job of its key has a place of its own.
    let behind = exclusive("behind")
    let last = stage.start(work("last", returning: 4))
    try await holder.release()
    for pending in [old] + newer {
      await expect(pending, .value(3))
      #expect(pending.isCancelled() == false)
    }
    try await behind.value
    await expect(last, .value(4))
    expectRan(["new 3", "behind", "last"])
    if settings.isObserved { #expect(settings.events.entries.count { $0.kind.name == "replaced" } == 2) }
    // Only the newest can be cancelled, and then all are.
    let second = await stage.hold()
    let cancelled = (0..<2).map { _ in stage.start(work("cancelled")) }
    cancelled[0].cancel()
    #expect(desk.counts.waiting == 1 && cancelled[0].isCancelled() == false)
    cancelled[1].cancel()
    for pending in cancelled {
      await expect(pending, .rejected(.cancelled))
      #expect(pending.isCancelled() == true)
    }
    let withdrawn = (0..<2).map { _ in stage.start(work("withdrawn")) }
    desk.withdrawAll()
    #expect(withdrawn.map { $0.isCancelled() } == [true, true])
    try await second.release()
    expectRan(["new 3", "behind", "last"])
  }

  func drafted() async throws {
    let clock = settings.clock
    @Sendable func draft(_ entry: String, after seconds: Int, returning value: Int = 1) -> Pending {
      var draft = work(entry, returning: value)
      draft.after = .seconds(seconds)
      return stage.start(draft)
    }
    func alarm(in seconds: Int) async throws {
      let alarm = clock.now.offset + .seconds(seconds)
      try await until { clock.alarms.contains(alarm) }
      clock.advance(by: .seconds(seconds))
    }
    // From when it came, and not from when its timer is set.
    settings.onEach.put { if $0.kind.name == "drafted" { clock.advance(by: .seconds(3)) } }
    let first = draft("first", after: 3)
    if !settings.isObserved { try await alarm(in: 3) }
    await expect(first, .value(1))
    // One that comes before the timer of an older one is set, and waits less.
    let shortest = Log<Pending>()
    settings.onEach.put { [onEach = settings.onEach] event in
      guard event.kind.name == "replaced" else { return }
      onEach.put { _ in }
      shortest(draft("shortest", after: 1, returning: 3))
    }
    let older = [draft("long", after: 9), draft("shorter", after: 5)]
    if !settings.isObserved { shortest(draft("shortest", after: 1, returning: 3)) }
    try await alarm(in: 1)
    for pending in older + shortest.entries { await expect(pending, .value(3)) }
    // It does not wait for its time when something needs it. A pause needs only one that could begin.
    try await expectIdle()
    let pausing = draft("before a pause", after: 9)
    await #expect(throws: CancellationError.self) { try await pauseCancelled() }
    await #expect(throws: CancellationError.self) { try await drainCancelled() }
    #expect(desk.counts == Counts(waiting: 1))
    try await desk.pauseAndWait()
    await expect(pausing, .value(1))
    #expect(desk.counts == Counts())
    desk.resume()
    let ahead = draft("ahead", after: 9)
    try await exclusive("behind").value
    await expect(ahead, .value(1))
    let drained = draft("drained", after: 9)
    try await desk.drain()
    await expect(drained, .value(1))
    // Nor does it in a pause that waits for a job which awaits it.
    let asking = Gate()
    let outer = stage.elsewhere {
      await asking.pass()
      #expect(await draft("awaited", after: 9).outcome() == .value(1))
    }
    await asking.waitForArrivals()
    let waiting = Task.immediate { [desk] in try await desk.pauseAndWait() }
    asking.open()
    try await waiting.value
    try await outer.value
    #expect(desk.counts == Counts())
    desk.resume()
    // Nothing of another key needs it.
    let kept = draft("kept", after: 9)
    try await stage.elsewhere { log("elsewhere") }.value
    #expect(desk.counts == Counts(waiting: 1))
    desk.close()
    await expect(kept, .value(1))
    expectRan(["first", "shortest", "before a pause", "ahead", "behind", "drained", "awaited", "elsewhere", "kept"])
    try await until { clock.alarms.isEmpty }
  }

  func deadlockWithItself() async throws {
    let (found, inner) = (Log<Outcome>(), work("inner", returning: 2))
    try await inItsTurn { [stage] in found(await stage.perform(inner)) }
    try await expectDeadlock(found)
    if !readsInItsTurn { expectRan(way.has(.submits) ? ["inner"] : []) }
  }

  func deadlockInAChild() async throws {
    guard childrenAreCertain else { return }
    let (found, inner) = (Log<Outcome>(), work("inner", returning: 2))
    try await inItsTurn { [stage] in
      await withTaskGroup { group in
        group.addTask { await withTaskGroup { $0.addTask { found(await stage.perform(inner)) } } }
      }
    }
    try await expectDeadlock(found)
  }

  func deadlockOfDrain() async throws {
    let found = Log<Outcome>()
    let waiting = Work { [desk, isInLine] () throws(WorkError) in
      for isPause in isInLine ? [false, true] : [false] {
        do {
          try await isPause ? desk.pauseAndWait() : desk.drain()
          found(.value(2))
        } catch { found(Outcome(Result<Int, any Error>.failure(error), isTyped: false)) }
      }
      return 1
    }
    // What is rejected goes on, and has paused nothing.
    await expect(stage.start(waiting), .value(1))
    #expect(found.entries.count == (isInLine ? 2 : 1) && found.entries.allSatisfy(\.isDeadlock), "\(found.entries)")
    await expect(stage.start(work()), .value(1))
    try await expectIdle()
    if way.has(.runsToItsEnd) { desk.withdrawAll() }
    let ending = stage.start(
      Work { [desk] () throws(WorkError) in await desk.shutDown(within: .seconds(10)) ? 1 : 2 })
    #expect(await ending.outcome() != .value(1))
    try await desk.drain()
    #expect(await desk.shutDown(within: .zero))
  }

  /// Runs the body where the work would wait for it.
  private func inItsTurn(_ body: @escaping @Sendable () async -> Void) async throws {
    if isInLine { return try await stage.exclusive(body).value }
    await expect(
      stage.start(
        Work { () throws(WorkError) in
          await body()
          return 1
        }), .value(1))
  }

  /// The call was rejected as a deadlock that leads through the others, and nothing is left of it.
  private func expectDeadlock(_ found: Log<Outcome>, through others: String...) async throws {
    try await until { found.entries.count == 1 }
    // A read inside a turn runs in this turn.
    if readsInItsTurn {
      #expect(found.entries == [.value(2)])
      return expectRan(["inner"])
    }
    let cycle = try #require(found.entries.first).cycle
    #expect(!cycle.isEmpty && others.allSatisfy(cycle.contains), "\(found.entries)")
    // The key at which both meet, also where slots are limited.
    #expect(!cycle.contains { $0.contains("slots of") })
    try await expectIdle()
  }

  /// A limited wait ends by itself, and is no such wait.
  func heldTooLong() async throws {
    let (clock, gate, started) = (settings.clock, Gate(), Log<Task<Outcome, Never>>())
    var inner = work("inner", returning: 2)
    inner.limit = .seconds(70)
    let outer = stage.exclusive { [stage, inner] in
      started(Task.immediate { await stage.perform(inner) })
      await gate.pass()
    }
    await gate.waitForArrivals()
    var reports: [TaskEvent] { settings.events.entries.filter { $0.kind.name == "heldTooLong" } }
    if settings.isObserved || way.has(.isLimited) {
      try await clock.waitForSleepers(settings.isObserved && way.has(.isLimited) ? 2 : 1)
      clock.advance(by: .seconds(60))
      if settings.isObserved { try await until { !reports.isEmpty } }
      clock.advance(by: .seconds(10))
    }
    if way.has(.isLimited) { #expect(await started.entries[0].value == .rejected(.late)) }
    gate.open()
    try await outer.value
    if !way.has(.isLimited) { #expect(await started.entries[0].value == .value(2)) }
    #expect(reports.count == (settings.isObserved ? 1 : 0))
    guard case .heldTooLong(_, let name)? = reports.first?.kind else { return }
    #expect(name == (way.has(.isLimited) ? nil : "work"))
  }

  func deadlockAcross() async throws {
    let (found, other) = (Log<Outcome>(), SerialTaskExecutor(name: "other"))
    let inner = work("inner", returning: 2)
    try await inItsTurn { [stage] in
      try? await other.enqueue { found(await stage.perform(inner)) }
    }
    try await expectDeadlock(found, through: "other")
  }

  /// On the main actor, so that what is submitted has not ended before it is awaited: then it would ask for nothing.
  ///
  /// Fails if: what is asked for in a turn is not noted, or what is held is not, however the work is handed in.
  @MainActor func potentialDeadlock() async throws {
    let other = SerialTaskExecutor(name: "other")
    let stage = stage
    let inner = Work { @MainActor () throws(WorkError) in 2 }
    let found = try await potentialDeadlocks {
      try await other.enqueue { #expect(await stage.perform(inner) == .value(2)) }
      await expect(
        stage.start(
          Work { () throws(WorkError) in
            try? await other.enqueue {}
            return 1
          }), .value(1))
    }
    #expect(found.contains { $0.path.contains("other") }, "\(found)")
  }

  /// Reads inside a turn of their executor do not wait for it.
  private var readsInItsTurn: Bool { way.has([.isInLine, .isShared]) && !way.has(.submits) }
}

extension Outcome {
  var cycle: [String] { if case .rejected(.deadlock(let deadlock)) = self { deadlock.path } else { [] } }
  var isDeadlock: Bool { !cycle.isEmpty }
}
