import CoalescingTasks
import Testing

/// Durations at the ends of their range are long, or none at all, and never trap.
@Suite(.watched) struct ExtremeDurationTests {
  private static let longest = Duration(attoseconds: .max)
  private static let shortest = Duration(attoseconds: .min)

  /// Fails if: the limit on a turn is added to a moment as it is.
  @Test func limitsThatAreWatched() async throws {
    let events = EventLog()
    let line = SerialTaskExecutor(
      reportsTurnsLongerThan: Self.longest, onEvent: events.handler)
    let (inside, done) = (Gate(), Gate())
    let job = line.submit {
      Task.immediate { try await line.enqueue { done.open() } }
      await inside.pass()
    }
    try await line.waitUntil(waiting: 1)
    inside.open()
    try await job.value
    await done.pass()
    #expect(!events.entries.contains { $0.kind.name == "heldTooLong" })
  }

  /// Fails if: the limit of a wait or of a shutdown is added to a moment as it is.
  @Test func limitsOfWaits() async throws {
    let line = SerialTaskExecutor()
    for limit in [Self.longest, Self.shortest] {
      try await line.enqueue(waitingAtMost: limit) {}
      let held = await Held(line)
      let call = Task.immediate { try await line.enqueue(waitingAtMost: limit) {} }
      #expect(line.snapshot.waiting == (limit == Self.longest ? 1 : 0))
      try await held.release()
      _ = await call.result
      let ended = CoalescingTaskExecutor<Int>()
      let read = ended.submitRead(1) {}
      _ = await ended.shutDown(within: limit)
      _ = await read.result
      #expect(ended.snapshot.running == 0)
    }
  }

  /// Fails if: the time for which something is kept is added to a moment as it is.
  @Test func timesForWhichSomethingIsKept() async throws {
    for time in [Self.longest, Self.shortest] {
      let coalescer = TaskCoalescer<Int, Int>(joinWindow: Self.longest)
      coalescer.prefetch(1, expiresAfter: time) { 1 }
      try await coalescer.drain()
      #expect(coalescer.snapshot.stored == (time == Self.longest ? 1 : 0))
      let token = RenewingValue<Int>(renewAhead: Self.longest, joinWindow: Self.longest) { _ in
        Renewed(1, validFor: time)
      }
      #expect(try await token.value() == 1)
    }
  }
}
