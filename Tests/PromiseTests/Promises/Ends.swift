import Foundation
import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func error() async throws {
    let own = WorkError.Instance()
    let failing = Work { () throws(WorkError) in throw .own(own) }
    await expect(stage.start(failing), .failed(ObjectIdentifier(own)))
    if settings.isObserved {
      try await until { settings.events.entries.contains { $0.kind.name == "failed" && $0.ran == .zero } }
    }
    if isInLine {
      let holder = await stage.hold()
      let pending = stage.start(failing)
      try await holder.release()
      await expect(pending, .failed(ObjectIdentifier(own)))
    }
    // The turn is given back.
    await expect(stage.start(work()), .value(1))
    try await expectIdle()
  }

  func events() async throws {
    for waits in isInLine ? [true, false] : [false] { try await events(waits: waits) }
    guard settings.isObserved else { return }
    // The first of an executor that is observed, without a name.
    let settings = Settings(isObserved: true)
    let stage = way.make(settings)
    #expect(try await stage.call(work()) == 1)
    try await until { settings.events.entries.contains { $0.kind.name == "finished" } }
    #expect(settings.events.entries.count { $0.kind.name == "began" } == 1)
  }

  private func events(waits: Bool) async throws {
    let told = settings.events.entries.count
    let holder = waits ? await stage.hold() : nil
    let (clock, gate) = (settings.clock, Gate())
    let pending = stage.start(
      Work { () throws(WorkError) in
        await gate.pass()
        clock.advance(by: .seconds(2))
        return 1
      })
    if waits { clock.advance(by: .seconds(3)) }
    try await holder?.release()
    // Work that was started ahead does not end before it is joined.
    await gate.waitForArrivals()
    gate.open()
    await expect(pending, .value(1))
    try await expectIdle()
    guard settings.isObserved else { return }
    let name = way.has(.isOfTheType) ? nil : "work"
    let own = { settings.events.entries.dropFirst(told).filter { name == nil || $0.job == name } }
    try await until { own().contains { $0.kind.name == "finished" } }
    let found = own()
    #expect(
      found.map(\.kind.name).filter { $0 != "joined" && $0 != "served" }
        == (waits ? ["waiting", "began", "finished"] : ["began", "finished"]))
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    if waits { #expect(found.first?.ahead == 1) }
    if isInLine { #expect(found.first { $0.kind.name == "began" }?.waited == .seconds(waits ? 3 : 0)) }
    #expect(found.first { $0.kind.name == "finished" }?.ran == .seconds(2))
  }

  func handles() async throws {
    let submit = try #require(stage.submit)
    let holder = await stage.hold()
    let completed = Log<Outcome>()
    let after = Log<Pending>()
    let inTurn = Log<Bool>()
    var named = Work { [log, desk] () throws(WorkError) in
      log("work")
      inTurn(desk.isInTurn)
      return 1
    }
    named.name = settings.isObserved ? "work" : nil
    let handle = submit(named)
    handle.whenComplete { [log, desk, events = settings.events] outcome in
      completed(outcome)
      inTurn(desk.isInTurn)
      log(events.entries.contains { $0.job == "work" && $0.kind.name == "finished" } ? "told, and reported" : "told")
      // The turn has ended, so this is no deadlock.
      after(
        Pending(
          outcome: { [task = Task.immediate { await stage.perform(work("after")) }] in await task.value }, cancel: {}))
    }
    // A detached one may run in the same task.
    let neighbour = way.has(.isLatest) ? nil : submit(work("neighbour"))
    let behind = exclusive("behind")
    let waiting = Task.immediate { try await handle.value() }
    // Who stops waiting leaves the job alone.
    let left = Task.immediate { await handle.result() }
    left.cancel()
    #expect(await left.value == .rejected(.cancelled))
    #expect(!handle.isCancelled())
    try await holder.release()
    #expect(try await waiting.value == 1)
    #expect(await handle.result() == .value(1))
    try await behind.value
    await expect(try #require(after.entries.first), .value(1))
    #expect(inTurn.entries == [true, false])
    if let neighbour { #expect(await neighbour.result() == .value(1)) }
    let told = settings.isObserved ? "told, and reported" : "told"
    // A read joins the one that waits.
    expectRan(["work", told] + (neighbour == nil || way.has(.isShared) ? [] : ["neighbour"]) + ["behind", "after"])
    handle.whenComplete { completed($0) }
    #expect(completed.entries == [.value(1), .value(1)])
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await handle.result()
    }
    #expect(await late.value == .value(1))
    // What has ended cannot be cancelled any more.
    handle.cancel()
    #expect(await handle.result() == .value(1) && !handle.isCancelled())
    let second = await stage.hold()
    let cancelled = submit(work("cancelled"))
    cancelled.whenComplete { completed($0) }
    cancelled.cancel()
    #expect(completed.entries.last == .rejected(.cancelled))
    #expect(cancelled.isCancelled())
    #expect(await cancelled.result() == .rejected(.cancelled))
    // What rejects it settles it, in that call.
    let withdrawn = submit(work("withdrawn"))
    withdrawn.whenComplete { completed($0) }
    desk.withdrawAll()
    #expect(completed.entries.last == .rejected(.withdrawn) && withdrawn.isCancelled())
    desk.close()
    let refused = submit(work("refused"))
    refused.whenComplete { completed($0) }
    #expect(completed.entries.last == .rejected(.closed) && !refused.isCancelled())
    try await second.release()
    #expect(Set(log.entries).isDisjoint(with: ["cancelled", "withdrawn", "refused"]))
  }

  func crowd() async throws {
    let crowd = Self.isFull ? 1_000 : 100
    let priorities: [TaskPriority] = [.background, .utility, .low, .medium, .high]
    let ran = Lock<[Int: Int]>([:])
    let holder = isInLine ? await stage.hold() : nil
    var pendings: [Pending] = []
    for number in 0..<crowd {
      let work = Work(priority: priorities[number % 5]) { () throws(WorkError) in
        ran.withLock { $0[number, default: 0] += 1 }
        return 1
      }
      pendings.append(stage.start(work))
    }
    let cancelling = Task.detached { [pendings] in
      for index in stride(from: 0, to: crowd, by: 4) { pendings[index].cancel() }
    }
    try await holder?.release()
    var values = 0
    for pending in pendings {
      let outcome = await pending.outcome()
      #expect(outcome == .value(1) || outcome == .rejected(.cancelled))
      if outcome == .value(1) { values += 1 }
    }
    await cancelling.value
    try await expectIdle()
    // An operation that belongs to the type is not one of a call.
    if !way.has(.isOfTheType) { #expect(ran.withLock { $0.values.allSatisfy { $0 == 1 } }) }
    if !way.has(.isShared) && !way.has(.isLatest) { #expect(ran.withLock { $0.count } == values) }
    guard settings.isObserved, isInLine, !way.has(.isShared) else { return }
    let told = { word in settings.events.entries.count { $0.job == "work" && $0.kind.name == word } }
    try await until { told("finished") == ran.withLock { $0.count } }
    #expect(told("began") == told("finished"))
  }
}

extension Cell {
  /// Whether `SERIALTASKS_LONG=1` asks for crowds of a thousand.
  fileprivate static let isFull = ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1"
}
