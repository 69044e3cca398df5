import SerialTasks
import Testing

/// What callers wait at that need something to happen once.
@Suite(.watched) struct LatchTests {
  let clock = ManualClock()
  let latch: Latch

  init() { latch = Latch(clock: AnyClock(clock)) }

  /// Fails if: a caller without time, or one that was cancelled before, waits, or a cancellation is looked at that is not to be.
  @Test func whoDoesNotWait() async {
    #expect(await latch.wait(atMost: .zero) == .late)
    let callers = [true, false].map { isCancellable in
      Task.immediate { [latch] in
        withUnsafeCurrentTask { $0?.cancel() }
        return await latch.wait(isCancellable: isCancellable)
      }
    }
    #expect(await callers[0].value == .cancelled)
    latch.open()
    #expect(await callers[1].value == nil)
    #expect(await latch.wait(atMost: .zero) == nil)
  }

  /// Fails if: the limit of a caller outlives its wait.
  @Test(arguments: [false, true]) func aLimitEndsWithTheWait(isCancellable: Bool) async throws {
    let caller = Task.immediate { [latch] in await latch.wait(atMost: .seconds(5), isCancellable: isCancellable) }
    try await clock.waitForSleepers(1)
    latch.open()
    #expect(await caller.value == nil)
    try await until { clock.alarms.isEmpty }
  }

  /// It has left when the latch opens, and has not gone on yet.
  ///
  /// Fails if: who has left is let through after all.
  @Test func whoHasLeftIsNotLetThrough() async throws {
    let (thread, log) = (OneThread(), Log<JobRejection?>())
    let caller = thread.start { [latch] in log(await latch.wait()) }
    try await thread.allHaveParked()
    try await thread.start { [latch] in
      caller.cancel()
      latch.open()
    }.value
    try await caller.value
    #expect(log.entries == [.cancelled])
  }
}
