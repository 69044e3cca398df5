import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func closed() async throws {
    let holder = isInLine ? await stage.hold() : nil
    let accepted = isInLine ? stage.start(work("accepted")) : nil
    desk.close()
    let late = stage.start(work("late"))
    await expect(late, .rejected(.closed))
    try await holder?.release()
    if let accepted { await expect(accepted, .value(1)) }
    expectRan(isInLine ? ["accepted"] : [])
    try await expectIdle()
  }

  func full() async throws {
    let holder = await stage.hold()
    let waiting = exclusive("waiting")
    let pending = stage.start(work())
    await expect(pending, .rejected(.full(capacity: 1)))
    try await holder.release()
    try await waiting.value
    expectRan(["waiting"])
    // There is room again.
    await expect(stage.start(work()), .value(1))
  }

  func late() async throws {
    let holder = await stage.hold()
    var patient = work("late")
    patient.limit = .seconds(1)
    let pending = stage.start(patient)
    try await settings.clock.sleepers(1)
    settings.clock.advance(by: .seconds(2))
    await expect(pending, .rejected(.late))
    patient.limit = .zero
    await expect(stage.start(patient), .rejected(.late))
    let inTime = stage.start(work("in time"))
    try await holder.release()
    await expect(inTime, .value(1))
    expectRan(["in time"])
    // One that has begun is not limited.
    let gate = Gate()
    var begun = held(gate)
    begun.limit = .seconds(1)
    let running = stage.start(begun)
    await gate.arrived()
    settings.clock.advance(by: .seconds(9))
    gate.open()
    await expect(running, .value(1))
    expectRan(["in time", "not cancelled"])
    try await expectIdle()
  }

  func replaced() async throws {
    let holder = await stage.hold()
    let old = stage.start(work("old"))
    let behind = exclusive("behind")
    let new = stage.start(work("new", returning: 2))
    #expect(desk.counts.waiting == 2)
    try await holder.release()
    await expect(old, .value(2))
    await expect(new, .value(2))
    try await behind.value
    expectRan(["new", "behind"])
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
      try await expectIdle()
      expectRan(way.has(.submits) ? ["inner"] : [])
    }
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

  /// Reads inside a turn of their executor do not wait for it.
  private var readsInItsTurn: Bool { way.has([.isInLine, .isShared]) && !way.has(.submits) }
}

extension Outcome {
  var cycle: [String] { if case .rejected(.deadlock(let deadlock)) = self { deadlock.path } else { [] } }
  var isDeadlock: Bool { !cycle.isEmpty }
}
