import Synchronization
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// What a report calls and keeps, and how it reads.
///
/// Other tests run in the same process, so each looks only at its own executors.
@Suite(.watched) struct WaitReportTests {
  /// Fails if: a key is described, or a clock is read, under a lock.
  @Test func nothingForeignRunsUnderALock() async throws {
    let asked = Log<Int>()
    let other = SerialTaskExecutor(name: "report-other")
    let key = LoudKey(
      1,
      described: {
        // Would wait for ever for any lock that is held while this runs.
        _ = SerialTaskExecutor(name: "report-made")
        _ = other.snapshot
        // It asks for a description of this key again, once.
        if asked.add(1) == 0 { _ = WaitReport.current }
      })
    struct Look { var look: @Sendable () -> Void = {} }
    let looks = Lock(Look())
    let clock = AskingClock { looks.withLock(\.look)() }
    let bank = KeyedSerialTaskExecutor<LoudKey>(name: "report-foreign", clock: clock)
    let flights = TaskCoalescer<LoudKey, Int>(name: "report-flights", clock: clock)
    let held = await Held(bank, key)
    let backend = Backend()
    let flying = Task.immediate { try await flights.value(for: key) { await backend.fetch() } }
    let waiting = Task.immediate { try await bank.enqueue(for: key) {} }
    let times = Log<Int>()
    looks.withLock {
      $0.look = { [unowned bank, unowned flights] in
        times(1)
        // Some of it reads the clock again.
        if times.entries.count < 3 { _ = (bank.snapshot, flights.snapshot, SerialTaskExecutor(name: "report-made")) }
      }
    }
    let names = WaitReport.current.executors.filter { $0.kind == "SerialTaskExecutor" }.map(\.name)
    looks.withLock { $0 = Look() }
    #expect(!names.contains("report-made"))
    #expect(!asked.entries.isEmpty)
    #expect(!times.entries.isEmpty)
    backend.gate.open()
    _ = try await flying.value
    try await held.release()
    try await waiting.value
  }

  /// Calls a closure when it is read.
  private struct AskingClock: Clock {
    let look: @Sendable () -> Void
    var now: ContinuousClock.Instant {
      look()
      return .now
    }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  /// Fails if: the registry keeps an executor alive, or forgets to take one out.
  @Test func releasedExecutorsAreGone() async throws {
    weak var line: Line?
    weak var keyed: Line?
    weak var coalescer: TaskCoalescer<Int, Int>?
    for _ in 0..<100 {
      let (one, two) = (SerialTaskExecutor(name: "report-gone"), KeyedSerialTaskExecutor<Int>(name: "report-gone"))
      let three = TaskCoalescer<Int, Int>(name: "report-gone")
      let token = RenewingValue<Int> { _ in Renewed(1, validFor: .seconds(1)) }
      let reloader = Reloader<Trigger, Int>(load: { _ in 1 }, apply: { _ in })
      (line, keyed, coalescer) = (one.line, two.line, three)
      _ = WaitReport.current
      withExtendedLifetime((one, two, three, token, reloader)) {}
    }
    // A report of another test may hold one for a moment.
    try await until { line == nil && keyed == nil && coalescer == nil }
    #expect(!WaitReport.current.executors.contains { $0.name.hasPrefix("report-gone") })
  }

  /// ```
  /// thread 1   make ── release (deinit) ── make ── release …
  /// thread 2       report ── asks each ── report …
  /// ```
  /// Fails if: what is being released is asked when it has begun to fall apart (it crashes, and the sanitizers see it), or
  /// its `deinit` does not wait for a report that asks it.
  @Test func whileExecutorsAreReleased() async {
    let isOver = Gate()
    await withTaskGroup { group in
      group.addTask {
        for _ in 0..<Effort.upTo(300) {
          _ = WaitReport.current
          await Task.yield()  // the pool of one core has one thread
        }
        isOver.open()
      }
      group.addTask {
        while !isOver.isOpen {
          release()
          await Task.yield()
        }
      }
    }
  }

  /// An executor that asks for a report when it is released.
  private final class Asking: WaitSource {
    let registration = WaitRegistration()
    let isBeingReleased = Atomic(false)
    let log: Log<String>

    init(_ log: Log<String>) {
      self.log = log
      registration.begin(self)
    }

    deinit {
      isBeingReleased.store(true, ordering: .relaxed)
      _ = WaitReport.current
      registration.end()
    }

    func holdings() -> Holdings {
      if isBeingReleased.load(ordering: .relaxed) { log("asked") }
      return Holdings(kind: "SerialTaskExecutor", clock: AnyClock(ContinuousClock()), holdings: [])
    }
  }

  /// Fails if: a report asks an executor whose `deinit` has begun, or one that it has asked can be released under its lock (then
  /// this hangs).
  @Test func whatIsBeingReleasedIsNotAsked() {
    let log = Log<String>()
    for _ in 0..<10 { _ = Asking(log) }
    #expect(log.entries == [])
  }

  /// Makes one of each kind, and releases them at once.
  private func release() {
    _ = SerialTaskExecutor()
    _ = KeyedSerialTaskExecutor<Int>()
    _ = CoalescingTaskExecutor<Int>()
    _ = TaskCoalescer<Int, Int>()
    _ = RenewingValue<Int> { _ in Renewed(1, validFor: .seconds(1)) }
    _ = Reloader<Trigger, Int>(load: { _ in 1 }, apply: { _ in })
  }

  /// Fails if: a person does not see at a glance who holds what since when, whether that is too long, and who waits; or a duration has
  /// more digits than a person reads.
  @Test func aReportIsText() {
    let report = WaitReport(executors: [
      .init(
        name: "orders", kind: "SerialTaskExecutor", holder: "ship 17", heldFor: .milliseconds(12_499),
        isHeldTooLong: true,
        waiting: [.init(name: "ship 18", waited: .milliseconds(12_100)), .init(waited: .seconds(3), isDraft: true)]),
      .init(
        name: "notes", kind: "CoalescingTaskExecutor", isHeld: false,
        waiting: [21_681_609, 999_999_999, 0, 3_600_000_000_000].map { .init(waited: .nanoseconds($0)) }),
      .init(name: "bank[ann]", kind: "KeyedSerialTaskExecutor"),
    ])
    #expect(
      "\(report)" == """
        orders: held by ship 17 for 12.4 seconds, too long, 2 wait
          ship 18 for 12.1 seconds
          a job for 3.0 seconds, a draft
        notes: held by no job, 4 wait
          a job for 0.021 seconds
          a job for 0.999 seconds
          a job for 0.000 seconds
          a job for 3600.0 seconds
        bank[ann]: held by a job
        """)
    #expect("\(WaitReport(executors: []))" == "Nothing is held, and nothing waits.")
  }
}
