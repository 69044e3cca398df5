import SerialTasks
import SerialTasksTesting
import Testing

/// Calls that wait for a limited time.
@Suite(.watched) struct WaitingAtMostTests {
  private let gate = Gate()

  /// Holds what the call needs, makes the call, and returns both when the call waits.
  private func begin(
    _ executor: LimitedExecutor, limit: Duration = .seconds(2),
    _ job: @escaping @Sendable () async throws -> Int = { 1 }
  ) async -> (holder: Task<Void, any Error>, first: Task<Int, any Error>?, call: Task<Int, any Error>) {
    let holder = Task.immediate { [gate] in try await executor.hold { await gate.pass() } }
    await gate.arrived()
    let first = executor.first { 7 }
    return (holder, first, Task.immediate { try await executor.perform(limit, job) })
  }

  /// Fails if: a job runs that had not begun in time, a call is late before its time, or its place is not free at once.
  @Test(arguments: LimitedCall.allCases) func aCallThatIsLateNeverRuns(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    let (holder, first, call) = await begin(executor) {
      Issue.record("a late job ran")
      return 0
    }
    try await executor.clock.sleepers()
    executor.clock.advance(by: .seconds(1))
    #expect(executor.waiting == 1)
    executor.clock.advance(by: .seconds(1))
    await #expect(throws: JobRejection.late) { try await call.value }
    #expect(executor.waiting == (first == nil ? 0 : 1))
    gate.open()
    try await holder.value
    if let first { #expect(try await first.value == 7) }
    try await executor.drain()
    let ends = executor.events.entries.filter { event in
      switch event.kind {
      case .rejected(.late), .left(.late): event.job == "call"
      default: false
      }
    }
    #expect(ends.count == (kind == .read ? 2 : 1), "one report of the job, and one of the caller that shared it")
  }

  /// Fails if: a limit goes on when its wait has ended, or its timer does.
  @Test(arguments: LimitedCall.allCases) func aCallInTimeRunsAndIsNotLimited(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    let second = Gate()
    let (holder, first, call) = await begin(executor) {
      await second.pass()
      return 1
    }
    try await executor.clock.sleepers()
    gate.open()
    try await holder.value
    if kind != .joinedRead { await second.arrived() }
    executor.clock.advance(by: .seconds(5))
    second.open()
    #expect(try await call.value == (kind == .joinedRead ? 7 : 1))
    _ = try await first?.value
    try await until { executor.clock.alarms.isEmpty }
  }

  /// Fails if: a call that has to wait takes a place although it has no time, or one is rejected that need not wait.
  @Test(arguments: LimitedCall.allCases, [0, -1]) func noTimeAtAll(_ kind: LimitedCall, _ seconds: Int) async throws {
    let limit = Duration.seconds(seconds)
    let executor = LimitedExecutor(kind)
    let (holder, first, call) = await begin(executor, limit: limit)
    await #expect(throws: JobRejection.late) { try await call.value }
    #expect(executor.waiting == (first == nil ? 0 : 1))
    #expect(executor.clock.alarms.isEmpty)
    gate.open()
    try await holder.value
    _ = try await first?.value
    try await executor.drain()
    #expect(try await executor.perform(limit) { 3 } == 3)
  }

  /// Fails if: a call that joins a read which runs is taken to wait for it.
  @Test func aReadThatRunsIsJoinedWithoutTime() async throws {
    let repository = CoalescingTaskExecutor<Int>()
    let read = Task.immediate { [gate] in
      try await repository.read(1) {
        await gate.pass()
        return 1
      }
    }
    await gate.arrived()
    let joiner = Task.immediate { try await repository.read(1, waitingAtMost: .zero) { 2 } }
    gate.open()
    #expect(try await (read.value, joiner.value) == (1, 1))
  }

  /// Fails if: a call on a free executor makes a timer.
  @Test(arguments: LimitedCall.allCases) func aFreeExecutorHasNoTimer(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    let alarms = try await executor.perform(.seconds(1)) { executor.clock.alarms.count }
    #expect(alarms == 0)
  }

  /// Fails if: a rejection is not mapped.
  @Test(arguments: LimitedCall.allCases) func typedErrors(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    #expect(await executor.performTyped(.zero) == nil)
    let (holder, first, call) = await begin(executor, limit: .zero)
    #expect(await executor.performTyped(.zero) == .late)
    _ = await call.result
    gate.open()
    try await holder.value
    _ = try await first?.value
  }

  /// Fails if: a cancelled caller is reported as late, or its limit is not ended.
  @Test(arguments: LimitedCall.allCases) func cancelledWhileItWaits(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    let (holder, first, call) = await begin(executor)
    try await executor.clock.sleepers()
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    try await until { executor.clock.alarms.isEmpty }
    gate.open()
    try await holder.value
    _ = try await first?.value
  }

  /// Fails if: the end of a pause is not waited for, or a job put back by a pause is not limited.
  @Test(arguments: LimitedCall.allCases) func aPauseIsWaitedForAsLong(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    executor.pause()
    let first = executor.first { 7 }
    let calls = (0..<2).map { _ in Task.immediate { try await executor.perform(.seconds(1)) { 1 } } }
    try await executor.clock.sleepers()
    executor.clock.advance(by: .seconds(1))
    for call in calls { await #expect(throws: JobRejection.late) { try await call.value } }
    executor.resume()
    _ = try await first?.value
    try await executor.drain()
  }

  /// A call that leaves by itself closes no circle: it is late, and not rejected as a deadlock; and one that waits for such a call
  /// is not rejected either.
  ///
  /// Fails if: limited waits are edges of the wait graph.
  @Test func aCircleWithALimitIsNoDeadlock() async throws {
    let clock = ManualClock()
    let (a, b) = (SerialTaskExecutor(name: "a", clock: clock), SerialTaskExecutor(name: "b", clock: clock))
    let inB = Gate()
    let one = Task.immediate { [gate] in
      try await a.enqueue {
        await gate.pass()
        await #expect(throws: JobRejection.late) { try await b.enqueue(waitingAtMost: .seconds(1)) {} }
      }
    }
    await gate.arrived()
    let two = Task.immediate {
      try await b.enqueue {
        await inB.pass()
        return try await a.enqueue { 2 }
      }
    }
    await inB.arrived()
    gate.open()
    try await b.waits(for: 1)
    inB.open()
    try await a.waits(for: 1)
    try await clock.sleepers()
    clock.advance(by: .seconds(1))
    #expect(try await two.value == 2)
    try await one.value
  }

  /// Fails if: a job that waits for its own executor with a limit hangs, or is rejected for anything else.
  @Test func aJobThatWaitsForItselfIsLate() async throws {
    let clock = ManualClock()
    let executor = SerialTaskExecutor(clock: clock)
    let job = Task.immediate {
      try await executor.enqueue {
        await #expect(throws: JobRejection.late) { try await executor.enqueue(waitingAtMost: .seconds(1)) {} }
        return 1
      }
    }
    try await clock.sleepers()
    clock.advance(by: .seconds(1))
    #expect(try await job.value == 1)
  }

  /// A read with a limit that has begun is not limited any more, so its caller waits for certain.
  ///
  /// Fails if: the caller of such a read is no edge when the read runs (then this hangs).
  @Test func aReadThatHasBegunIsInTheGraph() async throws {
    let repository = CoalescingTaskExecutor<Int>(name: "repository")
    let notes = SerialTaskExecutor(name: "notes")
    let held = await HeldJob.writing(repository)
    let job = Task.immediate {
      try await notes.enqueue {
        try await repository.read(1, waitingAtMost: .seconds(3_600)) {
          await expectCycle(["notes", "repository[1]", "notes"]) { try await notes.enqueue {} }
          return 1
        }
      }
    }
    try await repository.waits(for: 1)
    try await held.release()
    #expect(try await job.value == 1)
  }

  /// A clock that fails has no more time to give.
  ///
  /// Fails if: a caller with a limit waits for ever because the clock does.
  @Test func aClockThatThrows() async throws {
    struct Broken: Clock {
      var now: ContinuousClock.Instant { .now }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        throw BackendError(call: 1)
      }
    }
    let executor = SerialTaskExecutor(clock: Broken())
    let holder = Task.immediate { [gate] in try await executor.enqueue { await gate.pass() } }
    await gate.arrived()
    await #expect(throws: JobRejection.late) { try await executor.enqueue(waitingAtMost: .seconds(3_600)) {} }
    gate.open()
    try await holder.value
  }

  /// Fails if: a call whose task was cancelled before runs, or is rejected for anything else.
  @Test(arguments: LimitedCall.allCases) func cancelledBeforeTheCall(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await executor.perform(.seconds(1)) {
        Issue.record("a cancelled job ran")
        return 0
      }
    }
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  /// Fails if: a call on a closed executor runs, or is late.
  @Test(arguments: LimitedCall.allCases) func aClosedExecutor(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    executor.close()
    for limit in [Duration.zero, .seconds(1)] {
      await #expect(throws: JobRejection.closed) { try await executor.perform(limit) { 1 } }
    }
  }

  /// Fails if: a call that has a limit begins without a report, or is rejected at once without one.
  @Test(arguments: LimitedCall.allCases) func whatIsReported(_ kind: LimitedCall) async throws {
    let executor = LimitedExecutor(kind)
    #expect(try await executor.perform(.zero) { 1 } == 1)
    try await executor.drain()
    func story() -> [String] {
      executor.events.entries.filter { $0.job == "call" }.map { "\($0.kind) \($0.waited.map { "\($0)" } ?? "-")" }
    }
    #expect(story() == ["began 0.0 seconds", "finished 0.0 seconds"])
    let (holder, first, call) = await begin(executor, limit: .zero)
    await #expect(throws: JobRejection.late) { try await call.value }
    let rejected = try #require(executor.events.entries.last)
    #expect(story().count == 3 && rejected.job == "call" && rejected.place == nil && rejected.waited == .zero)
    guard case .rejected(.late) = rejected.kind else {
      Issue.record("it was reported as \(rejected)")
      return
    }
    gate.open()
    try await holder.value
    _ = try await first?.value
  }

  /// Fails if: there is a timer for a caller that joins a read which runs.
  @Test func aReadThatRunsIsJoinedWithoutATimer() async throws {
    let clock = ManualClock()
    let repository = CoalescingTaskExecutor<Int>(clock: clock)
    let read = Task.immediate { [gate] in
      try await repository.read(1) {
        await gate.pass()
        return 1
      }
    }
    await gate.arrived()
    let joiner = Task.immediate { try await repository.read(1, waitingAtMost: .seconds(1)) { 2 } }
    await othersHaveRun()
    #expect(clock.alarms.isEmpty)
    gate.open()
    #expect(try await (read.value, joiner.value) == (1, 1))
  }

  #if !SERIALTASKS_NO_PROBE
    /// A task that was started in the turn waits for it, and leaves by itself, so that no job that awaits the task hangs.
    ///
    /// Fails if: such a wait is watched, and reported as one that may be a deadlock.
    @Test(arguments: LimitedCall.allCases.filter { $0 != .joinedRead })
    func aCallThatLeavesByItselfIsNoStall(_ kind: LimitedCall) async throws {
      let executor = LimitedExecutor(kind)
      let calls = Log<Task<Int, any Error>>()
      let holder = Task.immediate { [gate] in
        try await executor.hold {
          calls(Task.immediate { try await executor.perform(.seconds(30)) { 1 } })
          await gate.pass()
        }
      }
      await gate.arrived()
      try await executor.clock.sleepers()
      await othersHaveRun()
      #expect(executor.clock.alarms == [.seconds(30)], "something else than the limit waits for its time")
      gate.open()
      try await holder.value
      #expect(try await calls.entries[0].value == 1)
    }
  #endif

  /// Fails if: a limit of centuries overflows.
  @Test func aVeryLongLimit() async throws {
    let executor = LimitedExecutor(.job)
    executor.clock.advance(by: .seconds(1))
    let (holder, _, call) = await begin(executor, limit: Duration(attoseconds: .max))
    gate.open()
    try await holder.value
    #expect(try await call.value == 1)
  }
}
