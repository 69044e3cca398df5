import CoalescingTasks
import Dispatch
import SerialTasksTesting
import TestWatch
import Testing

@testable import SerialTasks

/// Completion handlers that are called on the main actor, where one task makes the calls of all tests.
@Suite(.watched, .serialized) struct HandlerOnTheMainActorTests {
  let line = SerialTaskExecutor(name: "line")
  let log = Log<Int>()

  /// Fails if: a handler is not called on the main actor, in another order than that of the jobs, or not at all. (Then this hangs.)
  @Test func inTheOrderOfTheJobs() async throws {
    for round in 1...10 {
      let all = Gate()
      for number in 0..<1_000 {
        line.submit(priority: number % 2 == 0 ? .high : .low) { number }
          .whenComplete(on: MainActor.self) { [log] result in
            MainActor.assertIsolated()
            log((try? result.get()) ?? -1)
            if number == 999 { all.open() }
          }
      }
      await all.pass()
      #expect(log.entries.suffix(1_000) == Array(0..<1_000)[...], "round \(round)")
    }
    #expect(log.entries.count == 10_000)
  }

  /// ```
  ///   main actor: waits for the last job ──┤ 1, 2, 3, 4
  ///   line:       1, 2, 3, 4, last
  /// ```
  /// Fails if: a job waits for an earlier job's handler. (Then this hangs.)
  @MainActor @Test func aBusyMainActor() async {
    let all = Gate()
    endJobs(all)
    #expect(log.entries.isEmpty)
    await all.pass()
    #expect(log.entries == [1, 2, 3, 4])
  }

  /// Blocks the main actor until all jobs have ended, which inherit nothing from it.
  @MainActor private func endJobs(_ all: Gate) {
    let last = DispatchSemaphore(value: 0)
    for number in 1...4 {
      line.submitDetached {}.whenComplete(on: MainActor.self) { [log] _ in
        log(number)
        if number == 4 { all.open() }
      }
    }
    line.submitDetached {}.whenComplete { _ in last.signal() }
    last.wait()
  }

  /// Fails if: the handler of a job that never ran is not called, or that of one that had ended before.
  @Test func jobsThatNeverRun() async throws {
    let gate = Gate()
    line.pause()
    let cancelled = line.submit { 1 }
    let withdrawn = line.submit { 2 }
    for job in [cancelled, withdrawn] { job.whenComplete(on: MainActor.self) { [log] _ in log(0) } }
    cancelled.cancel()
    line.cancelAll()
    line.resume()
    let ended = line.submit { 3 }
    _ = try await ended.value
    ended.whenComplete(on: MainActor.self) { [log] result in
      log((try? result.get()) ?? -1)
      gate.open()
    }
    await gate.pass()
    #expect(log.entries == [0, 0, 3])
  }

  /// The task that makes the calls is made by the job, unless there is still one from the round before.
  ///
  /// Fails if: the handler sees the task-locals of the job, takes itself for a part of the job's turn, or is less urgent than who waits.
  @Test func whatItSees() async throws {
    for _ in 0..<100 {
      let gate = Gate()
      Tag.$current.withValue(7) {
        line.submit(priority: .low) {}.whenComplete(on: MainActor.self) { [line, log] _ in
          log(Tag.current)
          #expect(!line.isInJob && Task.currentPriority >= .high)
          gate.open()
        }
      }
      await gate.pass()
      await Task.yield()
    }
    #expect(log.entries == Array(repeating: 0, count: 100))
  }

  /// ```
  ///   main actor: busy ─────────────┤ handler 1 │ handler 2, which ends after the drains
  ///   jobs:       1 │ drains │ 2
  /// ```
  /// Fails if: the handler of a later job is waited for; or a drain of a key does not wait, whose jobs have ended. (Then this hangs.)
  @Test(arguments: Later.allCases) func theHandlerOfALaterJob(_ later: Later) async throws {
    let (keyed, notes) = (KeyedSerialTaskExecutor<String>(), CoalescingTaskExecutor<String>())
    let (busy, drained) = (await BusyMainActor(), DispatchSemaphore(value: 0))
    defer { busy.release() }
    let submit = { later == .read ? notes.submitRead("a") {} : keyed.submit(for: "a") {} }
    let drain = { @Sendable in
      switch later {
      case .job: try await keyed.drain()
      case .jobOfKey: try await keyed.drain(for: "a")
      case .read: try await notes.drain()
      }
    }
    let first = submit()
    try await first.value
    first.whenComplete(on: MainActor.self) { [log] _ in log(1) }
    let draining = Task.immediate { [log] in
      try await drain()
      log(2)
      drained.signal()
    }
    let second = submit()
    second.whenComplete(on: MainActor.self) { [log] _ in
      drained.wait()
      log(3)
    }
    try await second.value
    #expect(log.entries == [])
    busy.release()
    try await draining.value
    try await drain()
    #expect(log.entries == [1, 2, 3])
  }

  enum Later: CaseIterable { case job, jobOfKey, read }

  /// Fails if: the main actor waits for itself, or a task that a handler has started waits for the handler for ever. (Then this hangs.)
  @MainActor @Test func whatTheMainActorAwaits() async throws {
    let drains = Log<Task<Void, any Error>>()
    line.submit {}.whenComplete(on: MainActor.self) { [line, log] _ in
      drains(
        Task.immediate {
          try await line.drain()
          log(2)
        })
      log(1)
    }
    try await line.drain()
    try await drains.entries[0].value
    #expect(log.entries == [1, 2])
    try await line.pauseAndWait()
    #expect(await line.shutDown(within: .zero))
  }

  /// Fails if: a job waits for a handler in place of being told that it would wait for itself; or `resume()` does not end a
  /// `pauseAndWait()` that waits for a handler alone, or that is in no report.
  @Test func waitsForHandlersAlone() async throws {
    let busy = await BusyMainActor()
    defer { busy.release() }
    let job = line.submit {}
    try await job.value
    job.whenComplete(on: MainActor.self) { _ in }
    try await line.enqueue { [line] in
      await #expect(throws: JobRejection.self) { try await line.drain() }
      await #expect(throws: JobRejection.self) { try await line.pauseAndWait() }
    }
    let pausing = Task.immediate { [line] in try await line.pauseAndWait() }
    #expect(line.line.holdings().holdings.flatMap(\.waiting).map(\.job) == ["pauseAndWait()"])
    line.resume()
    await #expect(throws: JobRejection.withdrawn) { try await pausing.value }
    // It cancels the task of the job that calls it.
    let shutDown = Task { [line] in try await line.enqueue { await line.shutDown(within: .zero) } }
    #expect(try await !shutDown.value)
  }

  /// Fails if: a pause returns while a job runs, because a handler of an earlier one has been called.
  @Test func theHandlerOfAnEarlierJobWhileAPauseWaits() async throws {
    let (ended, gate) = (line.submit {}, Gate())
    try await ended.value
    let running = line.submit { await gate.pass() }
    await gate.waitForArrivals()
    let pausing = Task.immediate { [line] in try await line.pauseAndWait() }
    let isCalled = Gate()
    ended.whenComplete(on: MainActor.self) { _ in isCalled.open() }
    await isCalled.pass()
    await MainActor.run {}
    #expect(line.line.holdings().holdings.flatMap(\.waiting).map(\.job) == ["pauseAndWait()"])
    gate.open()
    try await pausing.value
    try await running.value
  }

  private enum Tag { @TaskLocal static var current = 0 }
}
