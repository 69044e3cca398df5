import CoalescingTasks
import Testing

/// Who holds what since when, and who waits.
///
/// Other tests run in the same process, so each looks only at its own executors.
@Suite(.watched) struct WaitReportTests {
  private let clock = ManualClock()

  private func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

  /// The entries of the executor, as `line: holder 5 [a 3, b 1]`.
  private func report(_ name: String) -> [String] {
    WaitReport.current.executors.filter { $0.name == name || $0.name.hasPrefix("\(name)[") }.map { entry in
      let held = entry.isHeld ? "\(entry.holder ?? "a job") \(seconds(entry.heldFor))" : "-"
      return "\(entry.name): \(held) \(entry.waiting.map { "\($0.name ?? "a job") \(seconds($0.waited))" })"
        .replacing("\"", with: "")
    }
  }

  private func seconds(_ duration: Duration?) -> String { duration.map { "\($0.components.seconds)" } ?? "?" }

  /// Fails if: jobs that wait for the end of a pause, or callers of `drain`, are left out.
  @Test func aPausedExecutor() async throws {
    let line = SerialTaskExecutor(name: "report-paused", clock: clock)
    line.pause()
    let job = line.submit(name: "job") {}
    let detached = line.submitDetached(name: "detached") {}
    let drained = Task.immediate { try await line.drain() }
    pass(3)
    #expect(report("report-paused") == ["report-paused: - [job 3, detached 3, drain() 3]"])
    let entry = WaitReport.current.executors.first { $0.name == "report-paused" }
    #expect(
      entry.map { "\($0)" }
        == "report-paused: held by no job, 3 wait\n  job for 3.0 seconds\n  detached for 3.0 seconds\n  drain() for 3.0 seconds"
    )
    line.resume()
    try await job.value
    try await detached.value
    try await drained.value
  }

  /// Fails if: a job that found its executor free is not there, or the report makes its turn another.
  @Test func aSoloIsSeen() async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "report-light", clock: clock)
    let held = await Held(bank, "ann")
    #expect(report("report-light") == ["report-light[ann]: holder ? []"])
    let other = waiting(bank, "ann", name: "other") {}
    pass(2)
    #expect(report("report-light") == ["report-light[ann]: holder ? [other 2]"])
    try await held.release()
    try await other.value
    #expect(report("report-light").isEmpty)
  }

  /// Fails if: jobs that lack a slot are with no turn, or callers of `drain` of a key are left out.
  @Test func slots() async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "report-slots", maximumConcurrentJobs: 1, clock: clock)
    let held = await Held(bank, "ann")
    let other = waiting(bank, "bob", name: "other") {}
    let drained = Task.immediate { try await bank.drain(for: "ann") }
    pass(2)
    #expect(report("report-slots") == ["report-slots[ann]: holder ? [other 2, drain() 2]"])
    try await held.release()
    try await other.value
    try await drained.value
  }

  /// Fails if: what lacks a slot is listed behind one of two turns.
  @Test func severalSlots() async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "report-two", maximumConcurrentJobs: 2, clock: clock)
    let held = [await Held(bank, "ann"), await Held(bank, "cy")]
    let other = waiting(bank, "bob", name: "other") {}
    #expect(
      report("report-two") == [
        "report-two[ann]: holder ? []", "report-two[cy]: holder ? []", "report-two: - [other 0]",
      ])
    for held in held { try await held.release() }
    try await other.value
  }

  private struct Reason: ReloadReason { let policy: ReloadPolicy }

  /// Fails if: a flight, a load or a renewal is not there, or does not have its callers.
  @Test func flights() async throws {
    let numbers = TaskCoalescer<Int, Int>(name: "report-numbers", clock: clock)
    let backend = Backend()
    let first = asking(numbers, name: "first") { await backend.fetch() }
    pass(1)
    let second = asking(numbers, name: "second") { await backend.fetch() }
    pass(1)
    #expect(report("report-numbers") == ["report-numbers[7]: first 2 [first 2, second 1]"])
    backend.gate.open()
    _ = try await (first.value, second.value)
    #expect(report("report-numbers").isEmpty)

    let gate = Gate()
    let reloader = Reloader<Reason, Int>(name: "report-screen", clock: clock) { _ in
      await gate.pass()
      return 1
    } apply: { _ in
    }
    reloader.request(Reason(policy: .join))
    await gate.arrived()
    pass(1)
    let following = Task.immediate { try await reloader.reload(Reason(policy: .rerun)) }
    pass(1)
    let entry = try #require(WaitReport.current.executors.first { $0.name == "report-screen" })
    #expect(entry.kind == .reloader && entry.heldFor == .seconds(2) && entry.waiting.map(\.waited) == [.seconds(1)])
    gate.open()
    _ = try await following.value

    let renewing = Gate()
    let token = RenewingValue<Int>(name: "report-token", clock: clock) { _ in
      await renewing.pass()
      return Renewed(1, validFor: .seconds(60))
    }
    let asked = Task.immediate { try await token.value() }
    pass(1)
    #expect(report("report-token") == ["report-token: renewal 1 [a job 1]"])
    renewing.open()
    _ = try await asked.value
    #expect(report("report-token").isEmpty)
  }

  /// Fails if: the callers of an operation that was invalidated are not there, or are those of the one that came after.
  @Test func anInvalidatedFlight() async throws {
    let numbers = TaskCoalescer<Int, Int>(name: "report-invalidated", clock: clock)
    let backend = Backend()
    let old = asking(numbers, name: "old") { await backend.fetch() }
    numbers.invalidate(7)
    pass(1)
    let new = asking(numbers, name: "new") { await backend.fetch() }
    pass(1)
    #expect(
      report("report-invalidated") == ["report-invalidated[7]: old 2 [old 2]", "report-invalidated[7]: new 1 [new 1]"])
    backend.gate.open()
    _ = try await (old.value, new.value)
  }

  /// What is shut down and does not end is a hang that only the report can explain.
  ///
  /// Fails if: an operation that no caller wants any more is not there, or who waits for its end is not, or one is that has left.
  @Test(arguments: [true, false]) func whatDoesNotEnd(_ isHeard: Bool) async throws {
    let (events, name) = (EventLog(), "report-left-\(isHeard)")
    let numbers = TaskCoalescer<Int, Int>(name: name, clock: clock, onEvent: isHeard ? events.handler : nil)
    let backend = Backend()
    let call = asking(numbers, name: "call") { await backend.fetch() }
    pass(1)
    call.cancel()
    _ = await call.result
    let drained = Task.immediate { try await numbers.drain() }
    pass(2)
    let end = Task.immediate { await numbers.shutDown(within: .seconds(3_600)) }
    let gone = Task.immediate { try await numbers.drain() }
    gone.cancel()
    _ = await gone.result
    pass(1)
    let held = "\(name)[7]: call \(isHeard ? "4" : "?") []"
    #expect(report(name) == [held, "\(name): - [drain() 3, drain() 1]"])
    backend.gate.open()
    #expect(await end.value)
    try await drained.value
    #expect(report(name).isEmpty)
  }

  /// As above, for a load that was replaced.
  @Test func aReplacedLoad() async throws {
    let (gate, calls) = (Gate(), Log<Int>())
    let reloader = Reloader<Reason, Int>(name: "report-replaced", clock: clock) { _ in
      calls(0)
      if calls.entries.count == 1 { await gate.pass() }
      return 1
    } apply: { _ in
    }
    reloader.request(Reason(policy: .supersede))
    await gate.arrived()
    pass(2)
    #expect(try await reloader.reload(Reason(policy: .supersede)) == 1)
    let drained = Task.immediate { try await reloader.drain() }
    pass(1)
    #expect(
      report("report-replaced").map { $0.replacing(#/ .*Reason.* (\d)/#) { " load \($0.1)" } }
        == ["report-replaced: load 3 []", "report-replaced: - [drain() 1]"])
    gate.open()
    try await drained.value
    try await until { report("report-replaced").isEmpty }
  }

  /// Fails if: a key is described, or a clock is read, under a lock.
  @Test func nothingForeignRunsUnderALock() async throws {
    struct Key: Hashable, Sendable, CustomStringConvertible {
      let number: Int
      let ask: @Sendable () -> Void
      var description: String {
        ask()
        return "\(number)"
      }
      static func == (one: Key, other: Key) -> Bool { one.number == other.number }
      func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
    let asked = Log<Int>()
    let other = SerialTaskExecutor(name: "report-other")
    let key = Key(number: 1) {
      // Would wait for ever for any lock that is held while this runs.
      _ = SerialTaskExecutor(name: "report-made")
      _ = other.snapshot
      asked(1)
      // It asks for a description of this key again, once.
      if asked.entries.count == 1 { _ = WaitReport.current }
    }
    let looks = Lock<@Sendable () -> Void>({})
    let clock = AskingClock { looks.withLock { $0 }() }
    let bank = KeyedSerialTaskExecutor<Key>(name: "report-foreign", clock: clock)
    let flights = TaskCoalescer<Key, Int>(name: "report-flights", clock: clock)
    let held = await Held(bank, key)
    let backend = Backend()
    let flying = Task.immediate { try await flights.value(for: key) { await backend.fetch() } }
    let waiting = Task.immediate { try await bank.enqueue(for: key) {} }
    let times = Log<Int>()
    looks.withLock {
      $0 = { [unowned bank, unowned flights] in
        times(1)
        // Some of it reads the clock again.
        if times.entries.count < 3 { _ = (bank.snapshot, flights.snapshot, SerialTaskExecutor(name: "report-made")) }
      }
    }
    let names = WaitReport.current.executors.filter { $0.kind == .serialTaskExecutor }.map(\.name)
    looks.withLock { $0 = {} }
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
      let reloader = Reloader<Reason, Int>(load: { _ in 1 }, apply: { _ in })
      (line, keyed, coalescer) = (one.line, two.line, three)
      _ = WaitReport.current
      withExtendedLifetime((one, two, three, token, reloader)) {}
    }
    // A report of another test may hold one for a moment.
    try await until { line == nil && keyed == nil && coalescer == nil }
    #expect(report("report-gone").isEmpty)
  }

  /// Fails if: a person does not see at a glance who holds what since when, and who waits.
  @Test func aReportIsText() {
    let report = WaitReport(executors: [
      .init(
        name: "orders", kind: .serialTaskExecutor, holder: "ship 17", heldFor: .milliseconds(12_400),
        waiting: [.init(name: "ship 18", waited: .milliseconds(12_100)), .init(waited: .seconds(3))]),
      .init(name: "bank[ann]", kind: .keyedSerialTaskExecutor),
    ])
    #expect(
      "\(report)" == """
        orders: held by ship 17 for 12.4 seconds, 2 wait
          ship 18 for 12.1 seconds
          a job for 3.0 seconds
        bank[ann]: held by a job
        """)
    #expect("\(WaitReport(executors: []))" == "Nothing is held, and nothing waits.")
  }
}
