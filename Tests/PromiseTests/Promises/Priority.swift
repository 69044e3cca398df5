import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func raisedWhileWaiting() async throws {
    let holder = await stage.hold()
    let found = Log<TaskPriority>()
    var low = Work { [log] () throws(WorkError) in
      log("low")
      found(Task.currentPriority)
      return 1
    }
    low.priority = .background
    // Whoever awaits it raises it as well, so nobody does before it has ended.
    let pending = stage.start(low)
    try await desk.waitUntil(waiting: 1)
    let urgent = exclusive("urgent", priority: .high)
    try await desk.waitUntil(waiting: 2)
    try await holder.release()
    try await until { found.entries.count == 1 }
    #expect(found.entries[0] >= .high)
    try await urgent.value
    await expect(pending, .value(1))
    // Priority never reorders.
    expectRan(["low", "urgent"])
  }

  func raisedWhileRunning() async throws {
    for joins in !isInLine ? [true] : way.has(.isShared) ? [false, true] : [false] {
      try await raisedWhileRunning(joins)
    }
  }

  private func raisedWhileRunning(_ joins: Bool) async throws {
    let gate = Gate()
    let found = Log<TaskPriority>()
    var low = Work { () throws(WorkError) in
      await gate.pass()
      found(await raised())
      return 1
    }
    low.priority = .background
    // In a task of its own: a new operation begins at the priority of its caller.
    let pending = await Task.detached(priority: .background) { [stage, low] in stage.start(low) }.value
    await gate.waitForArrivals()
    // It looks before there is anybody to see.
    let seen = Task.immediate { [desk] in if !isInLine || !joins { try await desk.waitUntil(waiting: isInLine ? 1 : 2) }
    }
    let urgent: Task<Void, Never>
    if !joins {
      urgent = Task { [stage] in _ = await stage.exclusive(priority: .high).result }
    } else {
      var joining = low
      joining.priority = .high
      urgent = Task.immediate(priority: .high) { [stage, joining] in _ = await stage.perform(joining) }
    }
    try await seen.value
    gate.open()
    // What follows is the same work once more.
    try await until { found.entries.count == (way.has(.follows) ? 2 : 1) }
    #expect(found.entries.allSatisfy { $0 >= .high })
    await expect(pending, .value(1))
    await urgent.value
  }

  func raisedByAwaiting() async throws {
    let submit = try #require(stage.submit)
    let found = Log<TaskPriority>()
    let gate = Gate()
    // While it waits.
    let holder = await stage.hold()
    let waiting = submit(
      Work(priority: .background) { () throws(WorkError) in
        found(Task.currentPriority)
        return 1
      })
    let first = Task.immediate(priority: .high) { await waiting.result() }
    try await holder.release()
    #expect(await first.value == .value(1))
    // While it runs.
    let running = submit(
      Work(priority: .background) { () throws(WorkError) in
        await gate.pass()
        found(await raised())
        return 2
      })
    await gate.waitForArrivals()
    let second = Task.immediate(priority: .high) { await running.result() }
    gate.open()
    #expect(await second.value == .value(2))
    #expect(found.entries.count == 2 && found.entries.allSatisfy { $0 >= .high }, "\(found.entries)")
  }
}

extension Cell {
  func raisedByDraining() async throws {
    for pauses in [false, true] {
      let (gate, found) = (Gate(), Log<TaskPriority>())
      let low = { (isWaiting: Bool) in
        Work(priority: .background) { () throws(WorkError) in
          await gate.pass()
          found(isWaiting ? Task.currentPriority : await raised())
          return 1
        }
      }
      // In a task of its own, which is awaited by nothing before it has ended.
      let start = { [stage] (work: Work) in await Task.detached(priority: .background) { stage.start(work) }.value }
      let running = await start(low(false))
      await gate.waitForArrivals()
      let waiting = await start(low(true))
      let drain = Task.immediate(priority: .high) { [desk] in
        if pauses { try await desk.pauseAndWait() } else { try await desk.drain() }
      }
      gate.open()
      try await drain.value
      // A read has been joined, and a pause waits for nothing that has not begun.
      if pauses { desk.resume() }
      let count = way.has(.isShared) ? 1 : 2
      try await until { found.entries.count == count }
      #expect(found.entries[0] >= .high)
      if count == 2 { #expect((found.entries[1] >= .high) != pauses) }
      for pending in [running, waiting] { await expect(pending, .value(1)) }
    }
  }
}

/// Returns the priority of the current task when it has been raised; but does not wait for ever.
@Sendable private func raised() async -> TaskPriority {
  for _ in 0..<100_000 where Task.currentPriority < .high { await Task.yield() }
  return Task.currentPriority
}
