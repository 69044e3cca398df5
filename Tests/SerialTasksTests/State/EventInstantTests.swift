import SerialTasks
import Testing

/// `TaskEvent/instant`: a moment of any clock, as an instant of the continuous clock.
@Suite(.watched) struct EventInstantTests {
  private struct StoppedClock: Clock {
    let now: ContinuousClock.Instant
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  /// Fails if: the moments of another clock are counted from a time at which the executor did not exist yet.
  @Test func onAnotherClockTheFirstIsThatOfTheExecutor() async throws {
    let log = EventLog()
    // What comes first in the process is where all moments are counted from.
    try await SerialTaskExecutor(onEvent: log.handler).enqueue {}
    let (clock, before) = (ManualClock(), ContinuousClock.now)
    let executor = SerialTaskExecutor(clock: clock, onEvent: log.handler)
    let after = ContinuousClock.now
    try await executor.enqueue { clock.advance(by: .seconds(60)) }
    let instants = log.entries.map(\.instant)
    try #require(instants.count == 4)
    #expect((before...after).contains(instants[2]))
    #expect(instants[3] == instants[2] + .seconds(60))
    #expect(instants[1] <= before)
  }

  /// Fails if: a clock that tells the time in instants of the continuous clock is not believed.
  @Test func instantsOfTheContinuousClockAreKept() async throws {
    let (log, now) = (EventLog(), ContinuousClock.now + .seconds(3_600))
    try await SerialTaskExecutor(clock: StoppedClock(now: now), onEvent: log.handler).enqueue {}
    #expect(log.entries.map(\.instant) == [now, now])
  }
}
