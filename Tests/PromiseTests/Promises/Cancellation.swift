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
    await gate.arrived()
    pending.cancel()
    #expect(pending.isCancelled() ?? true)
    // A caller of shared work leaves at once, and takes it along if nobody else is left.
    if way.has(.isShared) { await expect(pending, .rejected(.cancelled)) }
    gate.open()
    if !way.has(.isShared) { await expect(pending, .value(1)) }
    try await until { log.entries.count == 1 }
    expectRan([way.has(.runsToItsEnd) || way.has(.isStartedAhead) ? "not cancelled" : "cancelled"])
    if !way.has(.submits), !way.has(.isStartedAhead) { try await cancelledByItself() }
  }

  /// Its caller is cancelled before it has suspended, and so before its task is known.
  private func cancelledByItself() async throws {
    let (start, gate, caller) = (Gate(), Gate(), Box<Task<Outcome, Never>?>(nil))
    let held = held(gate)
    let work = Work { () throws(WorkError) in
      caller.value?.cancel()
      return try await held.job()
    }
    if way.has(.runsToItsEnd) { desk.withdrawAll() }
    let task = Task { [stage] in
      await start.pass()
      return await stage.perform(work)
    }
    caller.put(task)
    start.open()
    if way.has(.isShared) { #expect(await task.value == .rejected(.cancelled)) }
    gate.open()
    if !way.has(.isShared) { #expect(await task.value == .value(1)) }
    try await until { log.entries.count == 2 }
    #expect(log.entries[1] == (way.has(.runsToItsEnd) ? "not cancelled" : "cancelled"))
    try await desk.drain()
    try await expectIdle()
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
    await gate.arrived()
    gate.open()
    await expect(later.entries[0], .value(1))
    try await drain.entries[0].value
  }

  func withdrawnRunning() async throws {
    let gate = Gate()
    let pending = stage.start(held(gate))
    await gate.arrived()
    desk.withdrawAll()
    #expect(pending.isCancelled() ?? true)
    // Callers of a read get what it still returns; those of a flight, a load or a renewal are rejected at once.
    if !isInLine { await expect(pending, .rejected(.withdrawn)) }
    gate.open()
    if isInLine { await expect(pending, .value(1)) }
    try await until { log.entries.count == 1 }
    let found = way.has(.submits) || way.has(.isShared) ? "cancelled" : "not cancelled"
    expectRan([found])
    if way.has(.isStartedAhead) { return }
    // So it can do itself, before it has suspended, and so before its task is known.
    let last = Gate()
    let later = held(last)
    let own = stage.start(
      Work { [desk] () throws(WorkError) in
        desk.withdrawAll()
        return try await later.job()
      })
    await last.arrived()
    last.open()
    await expect(own, isInLine ? .value(1) : .rejected(.withdrawn))
    try await until { log.entries.count == 2 }
    expectRan([found, found])
  }
}
