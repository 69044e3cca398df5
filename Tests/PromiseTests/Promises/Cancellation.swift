import Foundation
import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func cancelledBefore() async throws {
    let runs = way.has(.submits) || way.has(.cannotLeave)
    let outcome = await Task { [stage, log] in
      withUnsafeCurrentTask { $0?.cancel() }
      let work = Work { () throws(WorkError) in
        log(Task.isCancelled ? "cancelled" : "not cancelled")
        return 1
      }
      guard let submit = stage.submit else { return await stage.perform(work) }
      let job = submit(work)
      return await Task.detached { await job.result() }.value
    }.value
    // Who submits does not wait for what it submits, so the job is not cancelled with it; nor is what was started ahead.
    #expect(outcome == (runs ? .value(1) : .rejected(.cancelled)))
    if !way.has(.isStartedAhead) { expectRan(runs ? ["not cancelled"] : []) }
    if settings.isObserved, !runs {
      #expect(settings.events.entries.count { $0.kind.name == "rejected" && $0.place == nil } == 1)
    }
    try await expectIdle()
  }

  func cancelledWaiting() async throws {
    let holder = await stage.hold()
    let pending = stage.start(work())
    let behind = exclusive("behind")
    settings.clock.advance(by: .seconds(3))
    pending.cancel()
    await expect(pending, .rejected(.cancelled))
    #expect(desk.counts.waiting == 1)
    if settings.isObserved {
      try await until {
        settings.events.entries.contains { $0.job == "work" && $0.kind.name == "rejected" && $0.waited == .seconds(3) }
      }
    }
    try await holder.release()
    try await behind.value
    expectRan(["behind"])
    try await expectIdle()
    try await until { settings.clock.alarms.isEmpty }
    expectOneRejection()
  }

  /// It is reported once, and not by its cause and by what goes on.
  private func expectOneRejection() {
    if !settings.isObserved { return }
    #expect(settings.events.entries.count { $0.job == "work" && $0.kind.name == "rejected" } == 1)
  }

  func cancelledAsItBegins() async throws {
    for _ in 0..<20 {
      let ran = log.entries.count
      let holder = isInLine ? await stage.hold() : nil
      let pending = stage.start(work())
      async let cancelled: Void = Task.detached { pending.cancel() }.value
      try await holder?.release()
      await cancelled
      let outcome = await pending.outcome()
      if isInLine { try await exclusive("behind").value }
      let has = log.entries.count - ran - (isInLine ? 1 : 0)
      if outcome == .rejected(.cancelled) {
        // Shared work may have begun before its caller left.
        #expect(has == 0 || way.has(.isShared))
      } else {
        // What was started ahead may have ended before the call that wants it.
        #expect(outcome == .value(1))
        #expect(has == 1 || way.has(.isStartedAhead))
      }
      // Shared work that every caller has left may still be about to run.
      try await desk.drain()
      try await expectIdle()
      if way.type == "RenewingValue" { desk.withdrawAll() }
    }
  }

  func cancelledRunning() async throws {
    let gate = Gate()
    let pending = stage.start(held(gate))
    await gate.waitForArrivals()
    pending.cancel()
    #expect(pending.isCancelled() ?? true)
    // A caller of shared work leaves at once, and takes it along if nobody else is left.
    if way.has(.isShared) { await expect(pending, .rejected(.cancelled)) }
    gate.open()
    if !way.has(.isShared) { await expect(pending, .value(1)) }
    try await until { log.entries.count == 1 }
    expectRan([way.has(.runsToItsEnd) || way.has(.isStartedAhead) ? "not cancelled" : "cancelled"])
  }

  func cancelledUnsuspended() async throws {
    for end in End.allCases where end != .caller || !way.has(.cannotLeave) && !way.has(.isStartedAhead) {
      let cell = Cell(way: way, settings: Settings(isObserved: settings.isObserved, slots: settings.slots))
      try await cell.endsItself(end)
    }
  }

  private enum End: CaseIterable { case caller, cancelAll, shutDown }

  /// Work that does not suspend, but ends itself, and looks.
  private func endsItself(_ end: End) async throws {
    let (own, later, shutDown) = (Box<Pending?>(nil), Box<Pending?>(nil), Box<Task<Bool, Never>?>(nil))
    let fresh = work("fresh", returning: 2)
    let pending = await startKnown(own) { [log, desk, stage] in
      switch end {
      case .caller: own.value!.cancel()
      case .cancelAll: desk.withdrawAll()
      case .shutDown: shutDown.put(Task.immediate { await desk.shutDown(within: .zero) })
      }
      log(Task.isCancelled ? "cancelled" : "not cancelled")
      if end == .caller { later.put(stage.start(fresh)) }
    }
    let isShared = way.has(.isShared)
    let isHeard =
      switch end {
      case .caller: !way.has(.runsToItsEnd)
      case .cancelAll: isShared || way.has(.submits)
      case .shutDown: true
      }
    if !isShared || isInLine && end != .caller {
      await expect(pending, .value(1))
    } else if !way.has(.isStartedAhead) {
      await expect(pending, .rejected(end == .caller ? .cancelled : .withdrawn))
    }
    try await until { !log.entries.isEmpty }
    #expect(log.entries.first == (isHeard ? "cancelled" : "not cancelled"))
    if let later = later.value {
      let joins = way.has(.runsToItsEnd) && !way.has(.follows) && !way.has(.replaces)
      await expect(later, .value(joins ? 1 : 2))
    }
    if let shutDown = shutDown.value { #expect(await shutDown.value == false) }
  }

  /// Starts work that knows how to cancel itself, and does not suspend.
  private func startKnown(_ own: Box<Pending?>, _ body: @escaping @Sendable () -> Void) async -> Pending {
    let start = Gate()
    let work = Work { () throws(WorkError) in
      while own.value == nil { sched_yield() }
      body()
      return 1
    }
    if stage.submit != nil {
      own.put(stage.start(work))
    } else {
      let task = Task { [stage] in
        await start.pass()
        return await stage.perform(work)
      }
      own.put(Pending(outcome: { await task.value }, cancel: { task.cancel() }))
      start.open()
    }
    return own.value!
  }

  func withdrawnWaiting() async throws {
    let holder = await stage.hold()
    let pending = stage.start(work())
    desk.withdrawAll()
    await expect(pending, .rejected(.withdrawn))
    #expect(pending.isCancelled() ?? true)
    #expect(desk.counts == Counts(running: 1))
    try await holder.release()
    try await expectIdle()
    expectRan([])
    expectOneRejection()
    if settings.isObserved { try await calledWhileAWithdrawalIsReported() }
  }

  /// What comes while a withdrawal is reported is waited for by who has come to drain before it.
  private func calledWhileAWithdrawalIsReported() async throws {
    let (gate, later, drain) = (Gate(), Log<Pending>(), Log<Task<Void, any Error>>())
    desk.pause()
    let pending = stage.start(work())
    settings.onEach.put { [self] event in
      guard event.kind.name == "rejected" else { return }
      settings.onEach.put { _ in }
      desk.resume()
      drain(Task.immediate { [desk] in try await desk.drain() })
      later(stage.start(held(gate)))
    }
    desk.withdrawAll()
    await expect(pending, .rejected(.withdrawn))
    await gate.waitForArrivals()
    gate.open()
    await expect(later.entries[0], .value(1))
    try await drain.entries[0].value
  }

  func withdrawnRunning() async throws {
    let gate = Gate()
    let pending = stage.start(held(gate))
    await gate.waitForArrivals()
    desk.withdrawAll()
    #expect(pending.isCancelled() ?? true)
    // Callers of a read get what it still returns; those of a flight, a load or a renewal are rejected at once.
    if !isInLine { await expect(pending, .rejected(.withdrawn)) }
    gate.open()
    if isInLine { await expect(pending, .value(1)) }
    try await until { log.entries.count == 1 }
    let found = way.has(.submits) || way.has(.isShared) ? "cancelled" : "not cancelled"
    expectRan([found])
  }
}
