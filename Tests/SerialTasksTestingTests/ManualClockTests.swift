import SerialTasksTesting
import TestWatch
import Testing

@Suite(.watched) struct ManualClockTests {
  let clock = ManualClock()

  private func sleeping(_ seconds: Int) -> Task<Duration, any Error> {
    Task.immediate {
      try await clock.sleep(for: .seconds(seconds))
      return clock.now.offset
    }
  }

  /// Fails if: time passes by itself, or a sleeper wakes before or after its deadline.
  @Test func timePassesWhenItIsTold() async throws {
    #expect(clock.now.offset == .zero)
    let (first, second) = (sleeping(10), sleeping(20))
    #expect(clock.alarms == [.seconds(10), .seconds(20)])
    clock.advance(by: .milliseconds(9_999))
    #expect(clock.alarms.count == 2)
    clock.advance(by: .milliseconds(1))
    #expect(clock.alarms == [.seconds(20)])
    #expect(try await first.value == .seconds(10))
    clock.advance(by: .seconds(100))
    #expect(try await second.value == .seconds(110))
    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .seconds(-1))
  }

  /// Fails if: tasks do not wake in the order of their deadlines, and with equal deadlines in the order of their arrival.
  @Test func sleepersWakeInOrder() async throws {
    // One thread, so that tasks run in the order in which they are resumed.
    let executor = OneThread()
    let log = Log<Int>()
    let sleeps = [30, 10, 20, 10].enumerated().map { index, seconds in
      Task(executorPreference: executor) {
        try await clock.sleep(for: .seconds(seconds))
        log(index)
      }
    }
    try await clock.waitForSleepers(4)
    await Task(executorPreference: executor) {}.value  // all have suspended
    clock.advance(by: .seconds(60))
    for sleep in sleeps { try await sleep.value }
    #expect(log.entries == [1, 3, 2, 0])
  }

  /// Fails if: the clock moves too far, moves although no task sleeps, or does not wake all tasks with the next deadline.
  @Test func itGoesToTheNextSleeper() async throws {
    #expect(!clock.advanceToNextSleeper() && clock.now.offset == .zero)
    let sleeps = [20, 10, 10].map { sleeping($0) }
    #expect(clock.advanceToNextSleeper() && clock.now.offset == .seconds(10) && clock.alarms == [.seconds(20)])
    #expect(clock.advanceToNextSleeper() && !clock.advanceToNextSleeper() && clock.now.offset == .seconds(20))
    for sleep in sleeps { _ = try await sleep.value }
  }

  /// Fails if: `sleepers` returns with too few, or counts those that have woken.
  @Test func sleepersAreWaitedFor() async throws {
    try await clock.waitForSleepers(0)
    let three = Task.immediate { try await clock.waitForSleepers(3) }
    let two = Task.immediate {
      try await clock.waitForSleepers(2)
      return clock.alarms.count
    }
    let sleeps = (1...2).map { sleeping($0) }
    #expect(try await two.value == 2)
    // If it had been resumed, this would not throw.
    three.cancel()
    await #expect(throws: CancellationError.self) { try await three.value }
    clock.advance(by: .seconds(2))
    for sleep in sleeps { _ = try await sleep.value }
    let one = Task.immediate {
      try await clock.waitForSleepers(1)
      return clock.alarms.count
    }
    let last = sleeping(1)
    #expect(try await one.value == 1)
    clock.advance(by: .seconds(1))
    _ = try await last.value
  }

  /// Fails if: a cancelled sleeper keeps sleeping, wakes the others, or is still counted; also one that was cancelled before.
  @Test func cancellationEndsASleep() async throws {
    let (cancelled, other) = (sleeping(10), sleeping(10))
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    for seconds in [1, 0] {
      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await clock.sleep(for: .seconds(seconds))
      }
      await #expect(throws: CancellationError.self) { try await late.value }
    }
    #expect(clock.alarms == [.seconds(10)])
    clock.advance(by: .seconds(10))
    #expect(try await other.value == .seconds(10))
  }

  /// Fails if: concurrent calls move the clock by less than their sum.
  @Test func manyMoveIt() async throws {
    let sleep = sleeping(500)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<1_000 { clock.advance(by: .seconds(1)) } } }
    }
    #expect(clock.now.offset == .seconds(4_000))
    #expect(try await sleep.value >= .seconds(500))
  }

  /// Fails if: setting the clock back wakes a task, or a task whose sleep has ended keeps sleeping.
  @Test func itCanBeSet() async throws {
    clock.jump(by: .seconds(100))
    let sleep = sleeping(10)
    clock.jump(by: .seconds(-50))
    #expect(clock.now.offset == .seconds(50) && clock.alarms == [.seconds(110)])
    clock.jump(by: .seconds(60))
    #expect(clock.alarms.isEmpty)
    clock.jump(by: .seconds(-110))
    #expect(try await sleep.value <= .seconds(110))
    #expect(clock.now.offset == .zero)
  }

  /// Fails if: a negative duration is accepted.
  @Test func timeDoesNotGoBack() async {
    await #expect(processExitsWith: .failure) { ManualClock().advance(by: .seconds(-1)) }
  }

  @Test func instants() {
    let (one, other) = (ManualClock.Instant(offset: .seconds(1)), ManualClock.Instant(offset: .seconds(3)))
    #expect(one < other && one.duration(to: other) == .seconds(2) && one.advanced(by: .seconds(2)) == other)
    #expect("\(one)" == "1.0 seconds")
  }
}
