import CoalescingTasks
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

  /// A read that was granted its turn goes on in its own task, which is nearly always later than the call behind the write.
  ///
  /// Fails if: a call that joins such a read is taken to wait for it.
  @Test func aReadThatIsAboutToBeginIsJoinedWithoutTime() async throws {
    let repository = CoalescingTaskExecutor<Int>()
    for _ in 0..<200 {
      let gate = Gate()
      let joiner = Task {
        try await repository.write(touching: [1]) { await gate.pass() }
        return try await repository.read(1, waitingAtMost: .zero) { 2 }
      }
      await gate.arrived()
      let read = Task.immediate { try await repository.read(1) { 1 } }
      gate.open()
      #expect(try await read.value == 1)
      // It reads itself if the other read has ended.
      #expect(try await joiner.value <= 2)
    }
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

  /// A clock on which less time passes than was slept for: so many per cent, and all of it from the third sleep on.
  private final class HastyClock: Clock, Sendable {
    let percent: Int
    let sleeps = Gate()
    let time = ManualClock()

    init(sleeping percent: Int) {
      self.percent = percent
      sleeps.open()
    }

    var now: ManualClock.Instant { time.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      await sleeps.pass()
      time.jump(by: time.now.duration(to: deadline) * (sleeps.arrivals < 3 ? percent : 100) / 100)
    }
  }

  /// Fails if: a clock that returns before its time is asked again and again, or one that is a little early is not asked for the rest.
  @Test(arguments: [(0, 1), (49, 1), (-50, 1), (51, 3)]) func aClockThatDoesNotSleep(percent: Int, sleeps: Int)
    async throws
  {
    let clock = HastyClock(sleeping: percent)
    let executor = SerialTaskExecutor(clock: clock)
    let holder = Task.immediate { [gate] in try await executor.enqueue { await gate.pass() } }
    await gate.arrived()
    await #expect(throws: JobRejection.late) { try await executor.enqueue(waitingAtMost: .seconds(60)) {} }
    #expect(clock.sleeps.arrivals == sleeps)
    gate.open()
    try await holder.value
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

  /// ```
  /// writer:  notes ── gate ── waits for line ··················· line
  /// job:     line ── reads notes, for a second ······· late ──┤
  /// ```
  /// Fails if: a caller with a limit whose read waits is an edge of the wait graph.
  @Test func aCircleWithALimitedReadIsNoDeadlock() async throws {
    let clock = ManualClock()
    let line = SerialTaskExecutor(name: "line")
    let notes = CoalescingTaskExecutor<Int>(name: "notes", clock: clock)
    let writer = writing(notes, touching: [1]) { [gate] in
      await gate.pass()
      try await line.enqueue {}
    }
    await gate.arrived()
    let job = waiting(line) {
      _ = await #expect(throws: JobRejection.late) { try await notes.read(1, waitingAtMost: .seconds(1)) {} }
    }
    gate.open()
    try await line.waits(for: 1)
    try await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    try await job.value
    try await writer.value
  }

  /// Fails if: a read without time to wait joins one that waits, and leaves it again.
  @Test func aReadThatWaitsIsNotJoinedWithoutTime() async throws {
    let events = EventLog()
    let notes = CoalescingTaskExecutor<Int>(name: "notes", onEvent: events.handler)
    let held = await Held(writing: notes)
    let first = reading(notes, 1) {}
    await #expect(throws: JobRejection.late) { try await notes.read(1, name: "late", waitingAtMost: .zero) {} }
    let told = events.entries.filter { $0.job == "late" }.map { "\($0.kind)".prefix { $0 != "(" } }
    #expect(told == ["rejected"])
    try await held.release()
    try await first.value
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
