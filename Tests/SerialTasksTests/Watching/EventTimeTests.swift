import CoalescingTasks
import Testing

/// When events happen, how long jobs wait and run, and how many stand ahead: on a clock that the test moves.
@Suite(.watched) struct EventTimeTests {
  private let clock = ManualClock()
  private let events = Log<TaskEvent>()

  private func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

  /// The events of a job, as `waiting -/-/1`: what happened, how long it had waited, how long it ran, how many stood ahead.
  private func story(of job: String?) -> [String] { events.entries.filter { $0.job == job }.map(Self.line) }

  private static func line(_ event: TaskEvent) -> String {
    let name = "\(event.kind)".prefix { $0 != "(" }
    let seconds = [event.waited, event.ran].map { $0.map { "\($0.components.seconds)" } ?? "-" }
    return "\(name) \(seconds[0])/\(seconds[1])/\(event.ahead.map(String.init) ?? "-")"
  }

  private func executor() -> SerialTaskExecutor {
    SerialTaskExecutor(name: "line", clock: clock) { [events] in events($0) }
  }

  /// Fails if: jobs of other keys count as ahead, or the keys of a set are added up.
  @Test func jobsOfKeys() async throws {
    let bank = KeyedSerialTaskExecutor<String>(name: "bank", clock: clock) { [events] in events($0) }
    let gate = Gate()
    let ann = bank.submit(for: "ann", name: "ann") { await gate.pass() }
    let bob = bank.submit(for: "bob", name: "bob") { await gate.pass() }
    await gate.arrived(2)
    pass(1)
    let second = bank.submit(for: "ann", name: "second") {}
    let both = bank.submit(forAll: ["bob", "ann"], name: "both") {}
    pass(2)
    gate.open()
    for job in [ann, bob, second, both] { try await job.value }
    try await bank.drain()
    #expect(story(of: "ann") == ["began 0/-/-", "finished 0/3/-"])
    #expect(story(of: "second") == ["waiting -/-/1", "began 2/-/-", "finished 2/0/-"])
    #expect(story(of: "both") == ["waiting -/-/2", "began 2/-/-", "finished 2/0/-"])
  }

  /// Fails if: a job that only lacks a slot has no job ahead.
  @Test func aJobThatWaitsForASlot() async throws {
    let bank = KeyedSerialTaskExecutor<String>(maximumConcurrentJobs: 1, clock: clock) { [events] in events($0) }
    let gate = Gate()
    let ann = bank.submit(for: "ann", name: "ann") { await gate.pass() }
    await gate.arrived()
    let bob = bank.submit(for: "bob", name: "bob") {}
    gate.open()
    try await ann.value
    try await bob.value
    #expect(story(of: "bob").first == "waiting -/-/1")
  }

  /// Fails if: the jobs that a nested read goes before stand ahead of it.
  @Test func aReadThatGoesBeforeOthers() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes", clock: clock) { [events] in events($0) }
    let gate = Gate()
    let write = notes.submitWrite(touching: [1]) { await gate.pass() }
    await gate.arrived()
    for _ in 0..<3 { notes.submitWrite(touching: [1]) {} }
    let nested = Task.immediate { try await notes.write(touching: [2]) { try await notes.read(1, name: "nested") {} } }
    gate.open()
    try await nested.value
    try await write.value
    #expect(story(of: "nested").first == "waiting -/-/1")
  }

  /// Fails if: the jobs behind a write stand ahead of the newer one that takes its place.
  @Test func aWriteInThePlaceOfAnother() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes", clock: clock) { [events] in events($0) }
    let gate = Gate()
    let all = notes.submitWrite { await gate.pass() }
    await gate.arrived()
    notes.submitWrite(latest: 1, touching: [1]) {}
    for _ in 0..<3 { notes.submitWrite(touching: [2]) {} }
    let newer = notes.submitWrite(latest: 1, touching: [1], name: "newer") {}
    gate.open()
    try await newer.value
    try await all.value
    #expect(story(of: "newer").first == "waiting -/-/1")
  }

  /// Fails if: a caller or a handle that leaves a read does not say how long it has waited, or the last not that the read never begins.
  @Test func whoLeavesARead() async throws {
    let notes = CoalescingTaskExecutor<String>(name: "notes", clock: clock) { [events] in events($0) }
    let held = await Held(writing: notes)
    let handles = ["first", "second"].map { notes.submitRead("a", name: $0) {} }
    let caller = reading(notes, "a", name: "caller") {}
    pass(3)
    caller.cancel()
    _ = await caller.result
    for handle in handles.reversed() { handle.cancel() }
    #expect(story(of: "caller") == ["joined -/-/-", "left 3/-/-"])
    #expect(story(of: "second") == ["joined -/-/-", "left 3/-/-"])
    #expect(story(of: "first") == ["waiting -/-/1", "left 3/-/-", "rejected 3/-/-"])
    try await held.release()
  }

  /// Fails if: the time of a flight is not measured on the coalescer's clock, or a caller's wait is the flight's.
  @Test func flights() async throws {
    let numbers = TaskCoalescer<Int, Int>(name: "numbers", clock: clock) { [events] in events($0) }
    let backend = Backend()
    let first = asking(numbers, name: "first") { await backend.fetch() }
    pass(2)
    let second = asking(numbers, name: "second") { await backend.fetch() }
    pass(3)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    backend.gate.open()
    _ = try await first.value
    #expect(story(of: "first") == ["began 0/-/-", "finished 0/5/-"])
    #expect(story(of: "second") == ["joined -/-/-", "left 3/-/-"])
  }

  private struct Again: ReloadReason { let policy = ReloadPolicy.rerun }

  /// Fails if: a load that follows another does not say how long it waited, or counts itself among those ahead.
  @Test func loads() async throws {
    let gate = Gate()
    let reloader = Reloader<Again, Int>(name: "screen", clock: clock) { _ in
      await gate.pass()
      return 1
    } apply: { _ in
    } onEvent: { [events] in
      events($0)
    }
    reloader.request(Again())
    await gate.arrived()
    pass(1)
    let second = Task.immediate { try await reloader.reload(Again()) }
    pass(2)
    gate.open()
    _ = try await second.value
    let lines = events.entries.map(Self.line)
    #expect(lines == ["began 0/-/-", "waiting -/-/1", "finished 0/3/-", "began 2/-/-", "finished 2/0/-"])
  }

  /// Fails if: a renewal's time is not measured.
  @Test func renewals() async throws {
    let token = IssuedToken(isHeld: true)
    let first = token.asking()
    token.advance(by: 1)
    let second = token.asking()
    token.advance(by: 2)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    let third = token.asking()
    token.value.clear()
    await #expect(throws: JobRejection.withdrawn) { try await first.value }
    await #expect(throws: JobRejection.withdrawn) { try await third.value }
    token.issuer.answer(1)
    try await until { token.events.entries.count == 7 }
    #expect(
      token.events.entries.map(Self.line)
        == [
          "began 0/-/-", "joined -/-/-", "left 2/-/-", "joined -/-/-", "left 3/-/-", "left 0/-/-", "finished 0/3/-",
        ])
  }

  /// Fails if: an instant is not one of the continuous clock where that is the executor's.
  @Test func instantsOfTheSystem() async throws {
    let line = SerialTaskExecutor { [events] in events($0) }
    let before = ContinuousClock.now
    try await line.enqueue {}
    let after = ContinuousClock.now
    #expect(events.entries.count == 2)
    #expect(events.entries.allSatisfy { before <= $0.instant && $0.instant <= after })
  }

  /// Fails if: a handler cannot be tested without an executor, or what is not given is not left out.
  @Test func anEventMadeByHand() {
    let event = TaskEvent(kind: .began, executor: "orders", job: "ship", place: 1, waited: .seconds(2))
    #expect(Self.line(event) == "began 2/-/-")
    #expect("\(event)" == "orders: ship began")
    let long = TaskEvent(kind: .heldTooLong(waiting: 2), executor: "orders", job: "ship", ran: .seconds(9))
    #expect("\(long)" == "orders: ship has had its turn for 9.0 seconds, and 2 wait")
    #expect(ExecutorSnapshot(waiting: 2, running: 1).waiting == 2)
    #expect(CoalescerSnapshot(waiting: 2, running: 1, stored: 3).stored == 3)
    #expect(ReloaderSnapshot(waiting: 1, running: 1, reason: Again()).running == 1)
    #expect(RenewingSnapshot(remaining: .seconds(1)).remaining == .seconds(1))
  }
}
