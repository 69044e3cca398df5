import CoalescingTasks
import SerialTasksTesting
import Testing

/// Calls that wait for a limited time.
@Suite(.watched) struct WaitingAtMostTests {
  private let gate = Gate()

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
    await gate.waitForArrivals()
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
    await gate.waitForArrivals()
    await #expect(throws: JobRejection.late) { try await executor.enqueue(waitingAtMost: .seconds(3_600)) {} }
    gate.open()
    try await holder.value
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
    await gate.waitForArrivals()
    let joiner = Task.immediate { try await repository.read(1, waitingAtMost: .seconds(1)) { 2 } }
    await othersHaveRun()
    #expect(clock.alarms.isEmpty)
    gate.open()
    #expect(try await (read.value, joiner.value) == (1, 1))
  }
}
