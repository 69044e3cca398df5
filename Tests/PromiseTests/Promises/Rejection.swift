import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func closed() async throws {
    let holder = isInLine ? await stage.hold() : nil
    let gate = Gate()
    let accepted = stage.start(isInLine ? work("accepted") : held(gate))
    if !isInLine { await gate.arrived() }
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
    await access.arrived()
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
    try await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    #expect(desk.counts.waiting == 1)
    clock.advance(by: .seconds(1))
    await expect(pending, .rejected(.late))
    for seconds in [0, -1] {
      patient.limit = .seconds(seconds)
      await expect(stage.start(patient), .rejected(.late))
      guard settings.isObserved else { continue }
      let told = settings.events.entries.last
      #expect(told?.word == "rejected" && told?.job == "work" && told?.place == nil && told?.waited == .zero)
    }
    // One that has begun in time is not limited.
    let gate = Gate()
    var inTime = held(gate)
    inTime.limit = .seconds(1)
    let running = stage.start(inTime)
    try await holder.release()
    await gate.arrived()
    clock.advance(by: .seconds(9))
    gate.open()
    await expect(running, .value(1))
    expectRan(["not cancelled"])
    try await expectIdle()
    try await until { clock.alarms.isEmpty }
    // A read with typed errors joins none that was submitted.
    if way.has(.isShared), !stage.isTyped, let notes = desk as? CoalescingTaskExecutor<String> {
      try await lateBehindAPause(of: notes)
    }
    // The wait for access takes time; else one that need not wait has no timer, and needs no time.
    if way.has(.asksForAccess) { return }
    for seconds in [1, 0] {
      var free = Work { () throws(WorkError) in clock.alarms.count }
      free.limit = .seconds(seconds)
      await expect(stage.start(free), .value(0))
    }
  }

  /// A read that has its turn and has not begun is joined by one with a limit, and in two of three rounds a pause puts it back.
  private func lateBehindAPause(of notes: CoalescingTaskExecutor<String>) async throws {
    for round in 0..<60 {
      let read = Handle(notes.submitRead("k") { 1 })
      var limited = work()
      limited.limit = round % 3 == 2 ? .seconds(5) : .zero
      let (pending, ended) = (stage.start(limited), Log<Outcome>())
      if round % 3 > 0 { notes.pause() }
      let ending = Task { ended(await pending.outcome()) }
      if round % 3 == 2 {
        try await until { desk.counts.waiting > 0 || !ended.entries.isEmpty }
        settings.clock.advance(by: .seconds(6))
      }
      await ending.value
      // It reads by itself if the other had ended before it came, and may not have its slot yet.
      let mayBeLate = round % 3 > 0 || settings.slots != nil
      #expect(ended.entries[0] == .value(1) || mayBeLate && ended.entries[0] == .rejected(.late))
      notes.resume()
      #expect(await read.result() == .value(1))
    }
  }

  func replaced() async throws {
    let holder = await stage.hold()
    let old = stage.start(work("old"))
    let newer = [2, 3].map { stage.start(work("new \($0)", returning: $0)) }
    #expect(desk.counts.waiting == 1)
    // One that comes behind another job of its key has a place of its own, and so has one that returns something else.
    let behind = exclusive("behind")
    let last = stage.start(work("last", returning: 4))
    let other = (desk as? CoalescingTaskExecutor<String>)?.submitWrite(latest: "draft", touching: ["k"]) {
      log("other")
      return "other"
    }
    try await holder.release()
    for pending in [old] + newer { await expect(pending, .value(3)) }
    try await behind.value
    await expect(last, .value(4))
    #expect(try await other?.value == "other")
    expectRan(["new 3", "behind", "last", "other"])
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
    settings.onEach.put { if $0.word == "drafted" { clock.advance(by: .seconds(3)) } }
    let first = draft("first", after: 3)
    if !settings.isObserved { try await alarm(in: 3) }
    await expect(first, .value(1))
    // One that comes before the timer of an older one is set, and waits less.
    let shortest = Log<Pending>()
    settings.onEach.put { [onEach = settings.onEach] event in
      guard event.word == "replaced" else { return }
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
    await asking.arrived()
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
    let found = Log<Outcome>()
    let (inner, stage) = (work("inner", returning: 2), stage)
    if isInLine {
      // A read inside a turn runs in this turn.
      try await stage.exclusive { found(await stage.perform(inner)) }.value
    } else {
      await expect(
        stage.start(
          Work { () throws(WorkError) in
            found(await stage.perform(inner))
            return 1
          }), .value(1))
    }
    try await until { found.entries.count == 1 }
    if readsInItsTurn {
      #expect(found.entries == [.value(2)])
      expectRan(["inner"])
    } else {
      #expect(found.entries.first?.isDeadlock == true, "\(found.entries)")
      // The key at which both meet, also where slots are limited.
      #expect(found.entries.first?.cycle.contains { $0.contains("slots of") } == false, "\(found.entries)")
      try await expectIdle()
      expectRan(way.has(.submits) ? ["inner"] : [])
    }
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
    await gate.arrived()
    var reports: [TaskEvent] { settings.events.entries.filter { $0.word == "heldTooLong" } }
    if settings.isObserved || way.has(.isLimited) {
      try await clock.sleepers(settings.isObserved && way.has(.isLimited) ? 2 : 1)
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
    let found = Log<Outcome>()
    let other = SerialTaskExecutor(name: "other")
    let (inner, stage) = (work("inner", returning: 2), stage)
    let body: @Sendable () async -> Void = {
      try? await other.enqueue { found(await stage.perform(inner)) }
    }
    if isInLine {
      try await stage.exclusive(body).value
    } else {
      await expect(
        stage.start(
          Work { () throws(WorkError) in
            await body()
            return 1
          }), .value(1))
    }
    try await until { found.entries.count == 1 }
    if readsInItsTurn {
      #expect(found.entries == [.value(2)])
    } else {
      #expect(found.entries.first?.isDeadlock == true, "\(found.entries)")
      #expect(found.entries.first?.cycle.contains("other") == true, "\(found.entries)")
    }
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
