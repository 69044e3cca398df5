import SerialTasks
import Testing

/// The table that maps the policies of other systems to ours, run row by row.
@Suite(.watched, .oneOrder) struct PolicyTests {
  private enum Reason: ReloadReason {
    case keep, replace, again
    var policy: ReloadPolicy {
      switch self {
      case .keep: .join
      case .replace: .supersede
      case .again: .rerun
      }
    }
  }

  let line = SerialTaskExecutor(name: "line")
  let gate = Gate()
  let log = Log()

  /// Holds the first load at the gate, and counts the others.
  private func reloader() -> Reloader<Reason, Int> {
    Reloader(name: "feed") { [log, gate] _ in
      log("load")
      let count = log.entries.count
      if count == 1 { await gate.pass() }
      return count
    } apply: { [log] in
      log("shown \($0)")
    }
  }

  /// KEEP, exhaustMap, droppable.
  @Test func keepTheRunningOne() async throws {
    let feed = reloader()
    feed.request(.keep)
    await gate.arrived()
    let joined = Task.immediate { try await feed.reload(.keep) }
    gate.open()
    #expect(try await joined.value == 1)
    try await feed.drain()
    #expect(log.entries == ["load", "shown 1"])
  }

  /// Droppable, for a job: the newer one never runs.
  @Test func dropTheNewerJob() async throws {
    let running = line.submit { [gate] in await gate.pass() }
    await gate.arrived()
    await #expect(throws: JobRejection.late) { try await line.enqueue(waitingAtMost: .zero) { log("newer") } }
    gate.open()
    try await running.value
    #expect(log.entries.isEmpty)
  }

  /// REPLACE, switchMap, restartable: callers of the older one get the newer result.
  @Test func replaceTheRunningOne() async throws {
    let feed = reloader()
    let first = Task.immediate { try await feed.reload(.keep) }
    await gate.arrived()
    #expect(try await feed.reload(.replace) == 2)
    #expect(try await first.value == 2)
    gate.open()
    try await feed.drain()
    #expect(log.entries == ["load", "load", "shown 2"])
  }

  /// Once more after the running one.
  @Test func onceMore() async throws {
    let feed = reloader()
    feed.request(.keep)
    await gate.arrived()
    for _ in 1...3 { feed.request(.again) }
    gate.open()
    try await feed.drain()
    #expect(log.entries == ["load", "shown 1", "load", "shown 3"])
  }

  /// REPLACE, for a job: the newer one begins when the older one has ended.
  @Test func replaceAJob() async throws {
    let older = line.submit { [gate, log] in
      await gate.pass()
      log(Task.isCancelled ? "asked to stop" : "not asked")
    }
    await gate.arrived()
    older.cancel()
    let newer = line.submit { [log] in log("newer") }
    gate.open()
    try await newer.value
    #expect(log.entries == ["asked to stop", "newer"])
  }

  /// APPEND_OR_REPLACE, concatMap, sequential: after a failure, the next job runs; APPEND: it does not.
  @Test func append() async throws {
    let failing = line.submit { throw NotesError.missing(1) }
    let appended = line.submit { [log] in
      try await failing.value
      log("appended")
    }
    try await line.enqueue { [log] in log("next") }
    #expect(log.entries == ["next"])
    await #expect(throws: NotesError.missing(1)) { try await appended.value }
  }

  /// mergeMap with a number.
  @Test func severalAtATime() async throws {
    let jobs = KeyedSerialTaskExecutor<String>(maximumConcurrentJobs: 2)
    for _ in 1...3 { jobs.submit(forAll: []) { [gate] in await gate.pass() } }
    await gate.arrived(2)
    #expect(jobs.snapshot.running == 2 && jobs.snapshot.waiting == 1)
    gate.open()
    try await jobs.drain()
  }

  /// Conflate, and throttle by the work itself: one runs, and the newest waits.
  @Test func theNewestOfThoseThatWait() async throws {
    let notes = CoalescingTaskExecutor<Int>()
    for number in 1...4 {
      notes.submitWrite(latest: 1, touching: [1]) { [gate, log] in
        if number == 1 { await gate.pass() }
        log("\(number)")
      }
      if number == 1 { await gate.arrived() }
    }
    gate.open()
    try await notes.drain()
    #expect(log.entries == ["1", "4"])
  }

  /// Debounce with a maximal wait.
  @Test func debounce() async throws {
    let clock = ManualClock()
    let notes = CoalescingTaskExecutor<Int>(clock: clock)
    for number in 1...3 {
      notes.submitWrite(latest: 1, touching: [1], after: .milliseconds(300), atMost: .seconds(2)) { [log] in
        log("\(number)")
      }
    }
    try await clock.sleepers()
    #expect(log.entries.isEmpty)
    clock.advance(by: .milliseconds(300))
    try await until { log.entries == ["3"] }
  }
}
