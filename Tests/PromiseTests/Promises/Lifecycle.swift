import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func counted() async throws {
    for waits in isInLine ? [true, false] : [false] { try await counted(waits: waits) }
    if !way.has(.cannotLeave) { try await waitedFor() }
  }

  /// Tests wait with `waitUntil(waiting:)` until so many wait.
  private func waitedFor() async throws {
    // What is kept of a renewal is not valid any more.
    settings.clock.advance(by: .seconds(60))
    let (gate, holder) = (Gate(), isInLine ? await stage.hold() : nil)
    let observers = (0...3).map { count in Task.immediate { [desk] in try await desk.waitUntil(waiting: count) } }
    let left = Task.immediate { [desk] in try await desk.waitUntil(waiting: 2) }
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    let first = stage.start(held(gate))
    for observer in observers[0...1] { try await observer.value }
    let second: Pending? = isInLine ? nil : stage.start(held(gate))
    let behind = isInLine ? exclusive("behind") : nil
    try await observers[2].value
    #expect(desk.counts.waiting == 2)
    first.cancel()
    _ = await first.outcome()
    // Who left is not counted, and who sees enough does not look whether it is cancelled.
    await #expect(throws: WaitTimeoutError.self) {
      try await withPatience(.milliseconds(1)) { try await desk.waitUntil(waiting: 2) }
    }
    observers[3].cancel()
    await #expect(throws: CancellationError.self) { try await observers[3].value }
    try await Task { [desk] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await desk.waitUntil(waiting: 1)
      await #expect(throws: CancellationError.self) { try await desk.waitUntil(waiting: 2) }
    }.value
    gate.open()
    try await holder?.release()
    try await behind?.value
    _ = await second?.outcome()
    try await expectIdle()
  }

  /// What a report says of the executor.
  private var report: [WaitReport.Executor] {
    WaitReport.current.executors.filter { $0.name.hasPrefix(settings.name) }
  }

  private func counted(waits: Bool) async throws {
    let holder = waits ? await stage.hold() : nil
    let gate = Gate()
    let pending = stage.start(held(gate))
    if let holder {
      #expect(desk.counts == Counts(waiting: 1, running: 1))
      settings.clock.advance(by: .seconds(1))
      let found = report
      #expect(found.flatMap(\.waiting).map(\.name) == [settings.isObserved ? "work" : nil])
      #expect(found.flatMap(\.waiting).map(\.waited) == [.seconds(1)])
      if settings.isObserved { #expect(found.contains { $0.holder == "holder" }) }
      try await holder.release()
    }
    await gate.waitForArrivals()
    #expect(desk.counts.running == 1)
    #expect(report.contains { $0.isHeld } || !isInLine && !settings.isObserved)
    if isInLine {
      // Without events, a turn is not timed.
      settings.clock.advance(by: .seconds(2))
      let behind = exclusive("behind")
      settings.clock.advance(by: .seconds(3))
      let held = report.filter { $0.isHeld && !$0.waiting.isEmpty }
      #expect(held.map(\.heldFor) == [settings.isObserved ? .seconds(5) : nil])
      #expect(held.flatMap(\.waiting).last?.waited == .seconds(3))
      gate.open()
      try await behind.value
    }
    gate.open()
    await expect(pending, .value(1))
    try await expectIdle()
    // Access is given back behind the job.
    try await until { report.isEmpty }
    if !waits, way.has(.asksForAccess) { try await countedWithoutAccess() }
  }

  /// The wait behind others and the wait for access are one.
  private func countedWithoutAccess() async throws {
    let access = Gate()
    settings.access.put(access)
    let first = exclusive("first")
    let pending = stage.start(work())
    await access.waitForArrivals()
    settings.clock.advance(by: .seconds(4))
    #expect(report.contains { !$0.isHeld && $0.waiting.map(\.waited) == [.seconds(4), .seconds(4)] })
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    for seconds in [4, 5] {
      // The request is listed beside those who wait for it.
      try await until {
        report.contains {
          !$0.name.contains("access") && !$0.isHeld && $0.waiting.map(\.waited) == [.seconds(seconds)]
        }
      }
      settings.clock.advance(by: .seconds(1))
    }
    access.open()
    await expect(pending, .value(1))
    settings.access.put(nil)
  }

  func pausedWhileRunning() async throws {
    let gate = Gate()
    let pending = stage.start(held(gate))
    await gate.waitForArrivals()
    let pause = Task.immediate { [desk, log] in
      try await desk.pauseAndWait()
      log("paused")
    }
    let left = Task.immediate { [desk] in try await desk.pauseAndWait() }
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    let other = exclusive("other")
    expectRan([])
    gate.open()
    try await pause.value
    await expect(pending, .value(1))
    expectRan(["not cancelled", "paused"])
    desk.resume()
    try await other.value
    try await pauseAndResume()
    // What is held back is awaited in child tasks.
    if !way.has(.submits) || !childrenAreCertain { return }
    try await pausedWhileAwaited(in: SerialTaskExecutor())
    // What it needs of the executor is not there.
    if way.has(.isWhole) || settings.slots != nil { return }
    try await pausedWhileAwaited(in: nil)
  }

  /// What child tasks of a running job await goes on, also when another call that awaited it has left; what a job of another
  /// executor awaits does not.
  private func pausedWhileAwaited(in other: SerialTaskExecutor?) async throws {
    let (ran, left) = (log.entries.count, Gate())
    let holder = await stage.hold()
    let pending = stage.start(work("awaited"))
    let awaiting: @Sendable () async -> Void = {
      await withTaskGroup(of: Void.self) { group in
        group.addImmediateTask { _ = await pending.outcome() }
        await withTaskGroup(of: Void.self) { leaving in
          leaving.addImmediateTask { _ = await pending.outcome() }
          leaving.cancelAll()
        }
        await left.pass()
      }
    }
    let outer = if let other { Task.immediate { try await other.enqueue(awaiting) } } else { stage.elsewhere(awaiting) }
    await left.waitForArrivals()
    let pausing = Task.immediate { [desk] in try await desk.pauseAndWait() }
    left.open()
    try await holder.release()
    try await pausing.value
    #expect(log.entries.dropFirst(ran) == (other == nil ? ["awaited"] : []))
    desk.resume()
    try await outer.value
    await expect(pending, .value(1))
  }

  /// A pause that ends before the job does cannot be waited for.
  private func pauseAndResume() async throws {
    let gate = Gate()
    let pending = stage.start(held(gate))
    await gate.waitForArrivals()
    let pause = Task.immediate { [desk] in try await desk.pauseAndWait() }
    desk.resume()
    await #expect(throws: JobRejection.withdrawn) { try await pause.value }
    gate.open()
    await expect(pending, .value(1))
    // A cancelled call pauses nothing, and nothing needs to run for one that is not.
    await #expect(throws: CancellationError.self) { try await pauseCancelled() }
    await expect(stage.start(work()), .value(1))
    try await expectIdle()
    try await desk.pauseAndWait()
    let waiting = stage.start(work())
    expectRan(["not cancelled", "paused", "other", "not cancelled", "work"])
    desk.resume()
    await expect(waiting, .value(1))
  }

  func pauseCancelled() async throws {
    try await Task { [desk] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await desk.pauseAndWait()
    }.value
  }

  func drained() async throws {
    for waits in isInLine ? [true, false] : [false] { try await drained(waits: waits) }
  }

  private func drained(waits: Bool) async throws {
    let (ran, holder) = (log.entries.count, waits ? await stage.hold() : nil)
    let gate = Gate()
    let pending = stage.start(held(gate))
    let drain = Task.immediate { [desk, log] in
      try await desk.drain()
      log("drained")
    }
    let left = Task.immediate { [desk] in try await desk.drain() }
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    await #expect(throws: CancellationError.self) { try await drainCancelled() }
    // Nor does who drains wait for what comes behind.
    let later = Gate()
    let behind = isInLine ? stage.exclusive { await later.pass() } : nil
    try await holder?.release()
    await gate.waitForArrivals()
    #expect(log.entries.count == ran)
    gate.open()
    try await drain.value
    #expect(log.entries.dropFirst(ran) == ["not cancelled", "drained"])
    await expect(pending, .value(1))
    later.open()
    try await behind?.value
    try await desk.drain()
    // There is nothing to drain.
    try await drainCancelled()
  }

  func drainCancelled() async throws {
    try await Task { [desk] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await desk.drain()
    }.value
  }

  func shutDownInTime() async throws {
    let holder = isInLine ? await stage.hold() : nil
    let gate = Gate()
    let pending = stage.start(held(gate))
    if !isInLine { await gate.waitForArrivals() }
    // Also where the call is part of a job that is not waited for.
    let shutDown = Task.immediate { [desk, log] in
      try await SerialTaskExecutor().enqueue {
        let isInTime = await desk.shutDown(within: .seconds(3_600))
        log("shut down")
        return isInTime
      }
    }
    await expect(stage.start(work()), .rejected(.closed))
    try await holder?.release()
    await gate.waitForArrivals()
    gate.open()
    #expect(try await shutDown.value)
    await expect(pending, .value(1))
    expectRan(["not cancelled", "shut down"])
    try await until { settings.clock.alarms.isEmpty }
  }

  func shutDownWaiting() async throws {
    let holder = await stage.hold()
    let pending = stage.start(work())
    // Nor does a pause hold that up.
    if settings.isObserved { desk.pause() }
    let shutDown = Task.immediate { [desk] in await desk.shutDown(within: .seconds(1)) }
    try await settings.clock.waitForSleepers(1)
    settings.clock.advance(by: .seconds(2))
    await expect(pending, .rejected(.withdrawn))
    #expect(pending.isCancelled() ?? true)
    try await holder.release()
    #expect(await shutDown.value == false)
    expectRan([])
  }

  func shutDownRunning() async throws {
    for isCancelled in [false, true] {
      let cell = Cell(way: way, settings: Settings(isObserved: settings.isObserved, slots: settings.slots))
      try await cell.endsRunning(isCancelled)
    }
  }

  /// The cancellation of the caller is the end of its limit.
  private func endsRunning(_ isCancelled: Bool) async throws {
    let (gate, cancelled) = (Gate(), Gate())
    let held = held(gate)
    let pending = stage.start(
      Work { () throws(WorkError) in
        await withTaskCancellationHandler {
          _ = try? await held.job()
        } onCancel: {
          cancelled.open()
        }
        return 1
      })
    await gate.waitForArrivals()
    let shutDown = Task.immediate { [desk, log] in
      let isInTime = await desk.shutDown(within: .seconds(1))
      log("shut down")
      return isInTime
    }
    try await settings.clock.waitForSleepers(1)
    if isCancelled { shutDown.cancel() } else { settings.clock.advance(by: .seconds(2)) }
    if !isInLine {
      await expect(pending, .rejected(.withdrawn))
      #expect(!settings.isObserved || settings.events.entries.contains { $0.kind.name == "left" })
    }
    await cancelled.pass()
    await expect(stage.start(work()), .rejected(.closed))
    gate.open()
    #expect(await shutDown.value == false)
    expectRan(["cancelled", "shut down"])
    if isInLine { await expect(pending, .value(1)) }
  }

  func shutDownNow() async throws {
    for isCancelled in [false, true] {
      let cell = Cell(way: way, settings: Settings(isObserved: settings.isObserved, slots: settings.slots))
      try await cell.endsNow(isCancelled)
    }
  }

  private func endsNow(_ isCancelled: Bool) async throws {
    // A draft waits without a job ahead of it.
    let holder = way.has(.isLatest) ? nil : await stage.hold()
    var work = work()
    work.after = .seconds(3_600)
    let pending = stage.start(work)
    let shutDown = Task.immediate { [desk] in
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      return await desk.shutDown(within: isCancelled ? .seconds(3_600) : .zero)
    }
    await expect(pending, .rejected(.withdrawn))
    #expect(pending.isCancelled() ?? true)
    holder?.gate.open()
    #expect(await shutDown.value == false)
    _ = await holder?.task.result
    expectRan([])
  }

  func shutDownInterrupted() async throws {
    for isWithdrawn in way.has(.cannotLeave) || way.has(.runsToItsEnd) ? [true] : [false, true] {
      for waits in isInLine ? [false, true] : [false] {
        let cell = Cell(way: way, settings: Settings(isObserved: settings.isObserved, slots: settings.slots))
        try await cell.isInterrupted(isWithdrawn, waits)
      }
    }
  }

  private func isInterrupted(_ isWithdrawn: Bool, _ waits: Bool) async throws {
    // The cancellation of what has ended interrupts nothing.
    let ended = stage.start(work())
    await expect(ended, .value(1))
    try await desk.drain()
    if way.has(.runsToItsEnd) { desk.withdrawAll() }
    let (gate, holder) = (Gate(), waits ? await stage.hold() : nil)
    let pending = stage.start(held(gate))
    if !waits { await gate.waitForArrivals() }
    let shutDown = Task.immediate { [desk] in await desk.shutDown(within: .seconds(3_600)) }
    ended.cancel()
    if isWithdrawn { desk.withdrawAll() } else { pending.cancel() }
    // A running call is not asked to end by `cancelAll()`, and one that is cancelled ends as it likes.
    let isItsCallers = !waits && isInLine && !way.has(.submits) && !way.has(.isShared)
    try await holder?.release()
    gate.open()
    _ = await pending.outcome()
    let isStartedAhead = way.has(.isStartedAhead) && !isWithdrawn
    #expect(await shutDown.value == (isItsCallers || isStartedAhead))
  }

  func released() async throws {
    let settings = Settings(isObserved: settings.isObserved)
    weak var executor: (any Desk)?
    let pendings: [Pending]
    do {
      let stage = way.make(settings)
      executor = stage.desk
      stage.desk.pause()
      pendings = [stage.start(work("first")), stage.start(work("second"))]
    }
    for pending in pendings { await expect(pending, .value(1)) }
    #expect(log.entries.count == (way.has(.isShared) || way.has(.isLatest) ? 1 : 2))
    try await until { executor == nil }
  }

  func captured() async throws {
    let (settings, gone) = (Settings(isObserved: settings.isObserved, slots: settings.slots), Log<Void>())
    weak var executor: (any Desk)?
    do {
      let cell = Cell(way: way, settings: settings)
      executor = cell.desk
      settings.onEach.put { [weak desk = cell.desk] _ in _ = desk?.counts }
      let ended = try await cell.endsInEveryWay(gone)
      try await until { gone.entries.count == ended.count }
    }
    try await until { executor == nil }
  }

  /// Returns what was handed in, each of which has captured something that looks at the executor when it is released.
  private func endsInEveryWay(_ gone: Log<Void>) async throws -> [Pending] {
    var ended: [Pending] = []
    func start(_ gate: Gate? = nil, within limit: Int = 3_600, fails: Bool = false) -> Pending {
      let captured = Captured { [weak desk] in
        _ = desk?.counts
        gone(())
      }
      var work = Work { () throws(WorkError) in
        defer { withExtendedLifetime(captured) {} }
        await gate?.pass()
        if fails { throw .own(WorkError.Instance()) }
        return 1
      }
      work.limit = .seconds(limit)
      ended.append(stage.start(work))
      return ended.last!
    }
    await expect(start(), .value(1))
    if way.has(.runsToItsEnd) { desk.withdrawAll() }
    _ = await start(fails: true).outcome()
    let (holder, gate) = (isInLine ? await stage.hold() : nil, Gate())
    if way.has(.isLimited) { await expect(start(within: 0), .rejected(.late)) }
    start(gate).cancel()
    let withdrawn = [start(gate), start(gate)]
    if !isInLine { await gate.waitForArrivals() }
    desk.withdrawAll()
    gate.open()
    for pending in withdrawn { _ = await pending.outcome() }
    try await holder?.release()
    desk.close()
    await expect(start(), .rejected(.closed))
    // What belongs to the type keeps the work that it was given last.
    await expect(stage.start(work()), .rejected(.closed))
    for pending in ended { _ = await pending.outcome() }
    return ended
  }

  func taskLocals() async throws {
    let work = Work { () throws(WorkError) in Tag.current }
    let free = Tag.$current.withValue(7) { stage.start(work) }
    await expect(free, .value(way.has(.isDetached) ? 0 : 7))
    guard isInLine else { return }
    let holder = await stage.hold()
    let waiting = Tag.$current.withValue(8) { stage.start(work) }
    try await holder.release()
    await expect(waiting, .value(way.has(.isDetached) ? 0 : 8))
  }

  func isolation() async throws {
    for waits in isInLine ? [false, true] : [false] {
      let holder = waits ? await stage.hold() : nil
      // A call's job runs where its caller is; what has a task of its own, where the closure says.
      let hasTask = way.has(.submits) || way.has(.isShared)
      let name = settings.isObserved ? "work" : nil
      var work = Work { @MainActor () throws(WorkError) in
        MainActor.assertIsolated()
        if hasTask { #expect(Task.name == name) }
        return 1
      }
      if !hasTask { work.begins = { MainActor.assertIsolated() } }
      let pending = await startOnMainActor(work)
      try await holder?.release()
      await expect(pending, .value(1))
    }
  }

  @MainActor private func startOnMainActor(_ work: Work) -> Pending {
    if stage.submit != nil { return stage.start(work) }
    let task = Task.immediate { @MainActor [stage] in await stage.perform(work) }
    return Pending(outcome: { await task.value }, cancel: { task.cancel() })
  }
}

private final class Captured: Sendable {
  let deinitialised: @Sendable () -> Void
  init(_ deinitialised: @escaping @Sendable () -> Void) { self.deinitialised = deinitialised }
  deinit { deinitialised() }
}

private enum Tag {
  @TaskLocal static var current = 0
}
