import SerialTasksTesting
import TestWatch
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// Writes that wait a little for a newer one, on a clock that stands still.
@Suite(.watched) struct DraftTests {
  let clock = ManualClock()
  let events = EventLog()
  let saved = Log<String>()
  let notes: CoalescingTaskExecutor<String>

  init() {
    notes = CoalescingTaskExecutor(name: "notes", clock: clock, onEvent: events.handler)
    // No draft comes at the beginning of time.
    clock.advance(by: .seconds(3_600))
  }

  @discardableResult
  private func draft(
    _ text: String, after: Duration? = .milliseconds(300), atMost: Duration? = .seconds(2)
  ) -> SubmittedJob<Void> {
    notes.submitWrite(latest: "a", touching: ["a"], after: after, atMost: atMost, name: text) { [saved] in saved(text) }
  }

  /// Moves the clock, and returns when what sleeps has seen that.
  private func pass(_ milliseconds: Int) async throws {
    clock.advance(by: .milliseconds(milliseconds))
    try await until { clock.alarms.allSatisfy { $0 > clock.now.offset } }
  }

  /// A clock that goes on by 300 ms right after it has been read for the given time.
  private final class ClockThatGoesOn: Clock, Sendable {
    let time = ManualClock()
    private let readings = Lock(0)

    var minimumResolution: Duration { .zero }
    var now: ManualClock.Instant {
      defer { if isLast() { time.advance(by: .milliseconds(300)) } }
      return time.now
    }

    private func isLast() -> Bool {
      readings.withLock { left in
        left -= 1
        return left == 0
      }
    }

    func goOn(afterReading reading: Int) { readings.withLock { $0 = reading } }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      try await time.sleep(until: deadline, tolerance: tolerance)
    }
  }

  /// Fails if: a draft waits from when its timer is set, and not from when it came. (Then this hangs.)
  @Test(arguments: 1...3, [false, true]) func theClockGoesOnMeanwhile(reading: Int, replaced: Bool) async throws {
    let clock = ClockThatGoesOn()
    let notes = CoalescingTaskExecutor<String>(name: "notes", clock: clock)
    if !replaced { clock.goOn(afterReading: reading) }
    var job = notes.submitWrite(latest: "a", touching: ["a"], after: .milliseconds(300)) {}
    if replaced {
      try await clock.time.waitForSleepers(1)
      clock.time.advance(by: .milliseconds(100))
      job = notes.submitWrite(latest: "a", touching: ["a"], after: .milliseconds(300)) {}
      clock.goOn(afterReading: reading)
      clock.time.advance(by: .milliseconds(200))
    }
    try await job.value
    #expect(clock.time.now.offset == .milliseconds(replaced ? 600 : 300))
  }

  /// Fails if: the timer of a draft keeps its executor, or ends with it.
  @Test func released() async throws {
    let line: Weak<CoalescingTaskExecutor<String>>
    let job: SubmittedJob<Void>
    do {
      let notes = CoalescingTaskExecutor<String>(clock: clock)
      line = Weak(notes)
      job = notes.submitWrite(latest: "a", touching: ["a"], after: .seconds(1)) {}
    }
    #expect(line.object == nil)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    try await job.value
  }

  /// Fails if: a newer write that does not wait leaves the draft waiting whose place it takes. (Then this hangs.)
  @Test func aNewerWriteThatDoesNotWait() async throws {
    let first = draft("draft")
    try await draft("now", after: nil, atMost: nil).value
    try await first.value
    #expect(saved.entries == ["now"])
  }

  /// Fails if: the timer of a draft whose wait has ended earlier goes on.
  @Test func theTimerEndsWithTheDraft() async throws {
    draft("one")
    draft("two")
    try await clock.waitForSleepers(1)
    try await notes.drain()
    try await until { clock.alarms.isEmpty }
    #expect(saved.entries == ["two"])
  }

  /// ```
  /// a:    0 ─ waits ─ 100 ─ is replaced ······ waits ─ 400
  /// b:    0 ─ waits ──────────────────── 301
  /// clock:            100 ──────────── 350
  /// ```
  /// Fails if: the timer of a draft, whose time is over while a newer one takes its place, ends the wait of that.
  @Test func theTimeOfTheOlderIsOverMeanwhile() async throws {
    let (clock, isOver) = (ManualClock(), Gate())
    let notes = CoalescingTaskExecutor<String>(name: "notes", clock: clock) { event in
      guard event.kind.name == "replaced" else { return }
      clock.advance(by: .milliseconds(250))
      Cores.spin(while: !isOver.isOpen)
    }
    notes.submitWrite(latest: "a", touching: ["a"], after: .milliseconds(300)) {}
    // Its time is over after that of the older, and so it has begun after what that timer does.
    notes.submitWrite(latest: "b", touching: ["b"], after: .milliseconds(301)) { isOver.open() }
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(100))
    let newer = notes.submitWrite(latest: "a", touching: ["a"], after: .milliseconds(300)) {}
    #expect(notes.snapshot.waiting == 1)
    clock.advance(by: .milliseconds(50))
    try await newer.value
  }

  /// Fails if: what makes no sense keeps a write waiting.
  @Test(
    arguments: [(.zero, nil), (.seconds(-1), nil), (.seconds(1), .zero), (nil, .seconds(1))] as [(Duration?, Duration?)]
  )
  func noPause(after: Duration?, atMost: Duration?) async throws {
    try await draft("now", after: after, atMost: atMost).value
    #expect(saved.entries == ["now"] && clock.alarms.isEmpty)
    #expect(!events.entries.contains { $0.kind.name == "drafted" })
  }

  /// Fails if: a write that takes the place of one whose pause is over, and which only waits for its turn, is taken for a draft.
  @Test func thePauseOfTheOlderIsOver() async throws {
    let held = await Held(writing: notes)
    draft("one")
    try await clock.waitForSleepers(1)
    try await pass(300)
    try await until { !notes.line.holdings().executors.flatMap(\.waiting).contains(where: \.isDraft) }
    let second = draft("two")
    let told = events.entries.filter { $0.job == "two" }.map { "\($0.kind)" }
    #expect(told == ["waiting"] && clock.alarms.isEmpty)
    try await held.release()
    try await second.value
    #expect(saved.entries == ["two"])
  }

  /// Fails if: the longest wait is measured from a draft in between that has none.
  @Test func oneInBetweenWithoutALongestWait() async throws {
    for limit: Duration? in [.seconds(6), nil, .seconds(6)] {
      draft("draft", after: .seconds(5), atMost: limit)
      clock.advance(by: .seconds(2))
    }
    try await until { saved.entries == ["draft"] }
  }
}

private struct Weak<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) { self.object = object }
}
