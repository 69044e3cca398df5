import CoalescingTasks
import Testing

/// Guarantees, *Memory* of `TaskCoalescer`: a prefetched result is kept until it expires by the coalescer's clock, and
/// not much longer.
@Suite(.watched) struct PrefetchExpiryTests {
  let clock = ManualClock()
  let coalescer: TaskCoalescer<Int, Int>

  init() { coalescer = TaskCoalescer(clock: clock) }

  /// Prefetches what is there at once: an operation that does not suspend has landed when this returns.
  private func prefetch(_ key: Int, for seconds: Int) {
    coalescer.prefetch(key, expiresAfter: .seconds(seconds)) { key }
  }

  private func ask(_ key: Int) async throws -> CoalescedAnswer<Int> { try await coalescer.answer(for: key) { -1 } }

  /// Fails if: something past its expiry is served, or something before it is not.
  @Test func pastItsExpiryItIsGone() async throws {
    for key in 0..<4 { prefetch(key, for: 10 * key) }
    #expect(try await ask(0) == .led(-1))
    clock.advance(by: .seconds(15))
    #expect(coalescer.snapshot.stored == 2)
    #expect(try await ask(1) == .led(-1))
    #expect(try await ask(2) == .prefetched(2))
    clock.advance(by: .seconds(16))
    #expect(try await ask(3) == .led(-1))
    #expect(coalescer.snapshot.stored == 0)
  }

  /// It is kept from when the operation has ended, however long that took.
  @Test func itIsKeptFromItsLandingOn() async throws {
    let backend = Backend()
    coalescer.prefetch(7, expiresAfter: .seconds(10)) { await backend.fetch() }
    clock.advance(by: .seconds(100))
    backend.gate.open()
    try await until { coalescer.snapshot.stored > 0 }
    clock.advance(by: .seconds(9))
    #expect(try await ask(7) == .prefetched(1))
  }

  /// What has expired is in no caller's way.
  @Test func itMayBePrefetchedAgain() async throws {
    prefetch(7, for: 10)
    clock.advance(by: .seconds(11))
    coalescer.prefetch(7, expiresAfter: .seconds(10)) { 70 }
    #expect(try await ask(7) == .prefetched(70))
  }

  /// No caller ever comes again, and still nothing stays.
  ///
  /// Fails if: no sweeper sleeps for what is stored.
  @Test func aHundredThousandExpiredResultsAreSweptAway() async throws {
    for key in 0..<100_000 { prefetch(key, for: 60) }
    #expect(coalescer.shelved == 100_000)
    try await sleeping(until: .seconds(60))
    clock.advance(by: .seconds(61))
    try await until { coalescer.shelved == 0 }
  }

  /// One result that is kept for long does not keep a hundred thousand others that have expired, come they before or after.
  ///
  /// Fails if: the sweeper sleeps until the last of them expires.
  @Test(arguments: [true, false]) func expiredResultsAreNotKeptForTheSakeOfOne(comesFirst: Bool) async throws {
    if comesFirst { prefetch(-1, for: 86_400) }
    for key in 0..<100_000 { prefetch(key, for: 60) }
    if !comesFirst { prefetch(-1, for: 86_400) }
    try await until { clock.alarms.contains { $0 <= .seconds(120) } }
    clock.advance(by: .seconds(121))
    try await until { coalescer.shelved <= 1 }
    #expect(try await ask(-1) == .prefetched(-1))
  }

  /// A store clears the shelf as well, so nothing depends on when the sweeper wakes.
  @Test func aHundredThousandExpiredResultsAreClearedByLaterStores() async throws {
    var most = 0
    for key in 0..<100_000 {
      prefetch(key, for: 60)
      clock.advance(by: .seconds(1))
      most = max(most, coalescer.shelved)
    }
    #expect(most < 1_000)
  }

  /// The clocks of the system trap when they are to sleep for so long.
  ///
  /// Fails if: the sweeper sleeps until the expiry, however far off that is.
  @Test func forEverIsNotTooLong() async throws {
    coalescer.prefetch(7, expiresAfter: .seconds(Int64.max)) { 7 }
    for _ in 0..<3 {
      try await clock.sleepers()
      #expect(clock.alarms[0] < clock.now.offset + .seconds(100 * 365 * 86_400))
      clock.advance(by: clock.alarms[0] - clock.now.offset + .seconds(1))
    }
    #expect(try await ask(7) == .prefetched(7))
  }

  /// One task at most sleeps, however many are stored, and none when nothing is.
  ///
  /// Fails if: each store starts a sweeper, or the sweeper goes on when nothing is left to sweep.
  @Test func oneSweeperAtMost() async throws {
    for key in 0..<100 { prefetch(key, for: 60) }
    try await sleeping(until: .seconds(60))
    #expect(clock.alarms.count == 1)
    clock.advance(by: .seconds(61))
    try await until { coalescer.shelved == 0 }
    for _ in 0..<100 { await Task.yield() }
    #expect(clock.alarms.isEmpty)
    prefetch(7, for: 60)
    try await sleeping(until: .seconds(121))
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

  /// Fails if: a clock that returns before its time is asked again and again, or what is stored later has no sweeper.
  @Test(arguments: [0, 49, -50]) func aClockThatDoesNotSleepIsAskedOnce(percent: Int) async throws {
    let clock = HastyClock(sleeping: percent)
    let coalescer = TaskCoalescer<Int, Int>(clock: clock)
    coalescer.prefetch(0, expiresAfter: .seconds(60)) { 0 }
    await clock.sleeps.arrived()
    for _ in 0..<1_000 { await Task.yield() }
    #expect(clock.sleeps.arrivals == 1)
    // The sweeper may still be about to give up; what is stored after that has another.
    var key = 0
    try await until {
      key += 1
      coalescer.prefetch(key, expiresAfter: .seconds(60)) { 1 }
      return clock.sleeps.arrivals >= 3
    }
    try await until { coalescer.shelved == 0 }
  }

  /// Fails if: a clock that is a little early is not asked for the rest.
  @Test func aClockThatIsEarlyIsAskedForTheRest() async throws {
    let clock = HastyClock(sleeping: 51)
    let coalescer = TaskCoalescer<Int, Int>(clock: clock)
    coalescer.prefetch(7, expiresAfter: .seconds(60)) { 7 }
    await clock.sleeps.arrived(3)
    try await until { coalescer.shelved == 0 }
  }

  /// A clock whose sleepers are woken by nothing but their cancellation.
  private struct Sleepless: Clock {
    let asleep = Gate()
    let cancelled = Log<Duration>()
    var now: ManualClock.Instant { .init(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      let woken = Gate()
      try await withTaskCancellationHandler {
        asleep.open()
        await woken.pass()
        throw CancellationError()
      } onCancel: {
        cancelled(deadline.offset)
        woken.open()
      }
    }
  }

  /// Fails if: a coalescer that is gone leaves its sweeper asleep.
  @Test func theSweeperEndsWithItsCoalescer() async throws {
    let clock = Sleepless()
    weak var gone: TaskCoalescer<Int, Int>?
    do {
      let coalescer = TaskCoalescer<Int, Int>(clock: clock)
      coalescer.prefetch(7, expiresAfter: .seconds(60)) { 7 }
      await clock.asleep.pass()
      gone = coalescer
    }
    // A report of another test may hold it for a moment.
    try await until { gone == nil && !clock.cancelled.entries.isEmpty }
    #expect(clock.cancelled.entries == [.seconds(60)])
  }

  /// Returns when the sweeper sleeps until then.
  private func sleeping(until moment: Duration) async throws {
    try await until { clock.alarms.contains(moment) }
  }

  /// The sweeper does not keep the coalescer.
  @Test func theSweeperLetsGoOfTheCoalescer() async throws {
    weak var gone: TaskCoalescer<Int, Int>?
    do {
      let coalescer = TaskCoalescer<Int, Int>(clock: clock)
      coalescer.prefetch(7, expiresAfter: .seconds(60)) { 7 }
      try await sleeping(until: .seconds(60))
      gone = coalescer
    }
    try await until { gone == nil }
    clock.advance(by: .seconds(61))
  }
}
