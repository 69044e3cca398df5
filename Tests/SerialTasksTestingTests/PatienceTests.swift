import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Calls that wait in vain fail.
@Suite(.watched) struct PatienceTests {
  /// Fails if: the error does not say which executor is meant, what it does, and who else waits for what.
  @Test func theErrorSaysWhatTheExecutorDoes() async throws {
    let gate = Gate()
    let bank = KeyedSerialTaskExecutor<String>(name: "bank of patience")
    bank.submit(for: "ann", name: "pay") { await gate.pass() }
    bank.submit(for: "ann", name: "be paid") {}
    await gate.waitForArrivals()
    let error = await #expect(throws: WaitTimeoutError.self) {
      try await withPatience(.milliseconds(1)) { try await bank.waitUntil(waiting: 2, for: "ann") }
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("Fewer than 2 jobs waiting for “bank of patience[ann]” within 0.001 seconds. "), "\(text)")
    #expect(text.contains("waiting: 1") && text.contains("runningJob: Optional(\"pay\")"), "\(text)")
    #expect(text.contains("\nbank of patience[ann]: held by pay"), "\(text)")
    #expect(text.contains(", 1 wait\n  be paid for "), "\(text)")
    gate.open()
    try await bank.drain()
  }

  /// Fails if: one of these waits forever, or does not draw what was reported.
  @Test func clocksAndLogsLosePatience() async throws {
    let (clock, log) = (ManualClock(), EventLog())
    let line = SerialTaskExecutor(name: "notes", onEvent: log.handler)
    line.submit(name: "save") {}
    try await line.drain()
    try await withPatience(.milliseconds(1)) {
      let asleep = await #expect(throws: WaitTimeoutError.self) { try await clock.waitForSleepers() }
      #expect(asleep?.description.hasPrefix("No task asleep on the clock within ") == true)
      let few = await #expect(throws: WaitTimeoutError.self) { try await log.waitForFirst(1_000) }
      #expect(few?.description.contains("Reported so far:\nnotes: save began") == true)
      #expect(few?.description.contains("\(Timeline(log.entries))") == true)
      await #expect(throws: WaitTimeoutError.self) { try await log.waitForFirst { $0.job == "load" } }
      _ = try await log.waitForFirst(1)
    }
  }

  /// Fails if: a test that waits for an arrival which never comes hangs, or ends without saying where, and what the executors do.
  @Test func arrivedEndsTheProcess() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (gate, held) = (Gate(), Gate())
      let line = SerialTaskExecutor(name: "notes")
      line.submit(name: "save") { await held.pass() }
      await held.waitForArrivals()
      await withPatience(.milliseconds(1)) { await gate.waitForArrivals(2) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("PatienceTests.swift:") && text.contains("Fewer than 2 tasks at the gate within "), "\(text)")
    #expect(text.contains("notes: held by save"), "\(text)")
  }

  /// Fails if: a task that is held, or sleeps on a clock, continues before the test says so.
  @Test func whatWaitsForTheTestHasNoPatience() async throws {
    let (gate, clock, log) = (Gate(), ManualClock(), Log<String>())
    let line = SerialTaskExecutor()
    try await withPatience(.milliseconds(1)) {
      let waits: [@Sendable () async throws -> Void] = [
        gate.pass, gate.passUnlessCancelled, { try await clock.sleep(for: .seconds(1)) },
      ]
      let tasks = waits.map { wait in
        Task.immediate {
          try await wait()
          log("went on")
        }
      }
      await #expect(throws: WaitTimeoutError.self) { try await line.waitUntil(waiting: 1) }
      #expect(log.entries.isEmpty)
      gate.open()
      clock.advance(by: .seconds(1))
      for task in tasks { try await task.value }
    }
  }

  /// Fails if: a cancelled call reports that it waited too long, or a call that has seen enough throws.
  @Test func whoLeavesOrHasSeenEnoughDoesNotFail() async throws {
    let line = SerialTaskExecutor()
    line.pause()
    try await withPatience(.seconds(600)) {
      let (one, two) = (
        Task.immediate { try await line.waitUntil(waiting: 1) }, Task.immediate { try await line.waitUntil(waiting: 2) }
      )
      line.submit {}
      try await one.value
      two.cancel()
      await #expect(throws: CancellationError.self) { try await two.value }
    }
    try await withPatience(.zero) { try await line.waitUntil(waiting: 1) }
    line.resume()
    try await line.drain()
  }

  /// ```
  /// thread    ├ waits ┤├ another task ────────────────┤├ a third, five times ┤
  /// patience          ├───────────── over ─────┤
  /// ```
  /// Fails if: patience runs out because the thread that the others need was busy.
  @Test func aBusyMachineIsNotToBlame() async throws {
    let (executor, line, patience) = (OneThread(), SerialTaskExecutor(), Duration.milliseconds(10))
    line.pause()
    let allAreThere = Gate()
    let first = executor.start { while !allAreThere.isOpen {} }
    let observer = executor.start { try await withPatience(patience) { try await line.waitUntil(waiting: 1) } }
    let busy = executor.start {
      let end = ContinuousClock.now + patience * 5
      while .now < end {}
    }
    let late = executor.start {
      for _ in 0..<5 { await Task.yield() }
      line.submit {}
    }
    allAreThere.open()
    try await observer.value
    _ = try await (first.value, busy.value, late.value)
    line.resume()
    try await line.drain()
  }

  private enum Wrong: Error { case wrong }

  /// Fails if: the closure leaves the isolation of its caller, its result or error changes, or an outer patience counts.
  @Test @MainActor func theInnermostPatienceCounts() async throws {
    let line = SerialTaskExecutor()
    var runs = 0
    let result = await withPatience(.milliseconds(1)) {
      MainActor.assertIsolated()
      runs += 1
      return await withPatience(nil) {
        let forEver = Task.immediate { try await line.waitUntil(waiting: 1) }
        await #expect(throws: WaitTimeoutError.self) {
          try await withPatience(.milliseconds(1)) { try await line.waitUntil(waiting: 1) }
        }
        forEver.cancel()
        return await forEver.result
      }
    }
    MainActor.assertIsolated()
    #expect(throws: CancellationError.self) { try result.get() }
    do throws(Wrong) {
      try await withPatience(.zero) { () async throws(Wrong) in
        runs += 1
        throw .wrong
      }
    } catch { #expect(error == .wrong) }
    #expect(runs == 2)
  }
}
