import SerialTasks
import Synchronization
import Testing

/// A wait that may be a deadlock, which the library cannot know.
///
/// ```
/// write   ├ Task { inner } ─ awaits it ─────────────┤   for ever, unless the task is cancelled
/// inner      └ waits for its turn ·········  stalled
/// ```
@Suite(.watched) struct StallTests {
  private let clock = ManualClock()
  private let events = EventLog()

  /// Runs the body while stalls are reported after a minute of the manual clock.
  private func watched(_ body: () async throws -> Void) async rethrows {
    try await StallWatch.$current.withValue(StallWatch(patience: .seconds(60), clock: clock), operation: body)
  }

  private func sleepers(_ count: Int) async throws { try await clock.sleepers(count) }

  private struct Trigger: ReloadReason {
    let policy: ReloadPolicy
    var isFirst = false
  }

  private var stalls: [TaskEvent] {
    events.entries.filter { if case .stalled = $0.kind { true } else { false } }
  }

  /// Fails if: such a wait is not watched, is reported more than once, or not with both names.
  @Test func aJobThatAwaitsATaskThatWaitsForIt() async throws {
    let executor = SerialTaskExecutor(name: "notes") { [events] in events($0) }
    try await watched {
      let outer = executor.submit(name: "outer") {
        let inner = Task { try await executor.enqueue(name: "inner") {} }
        _ = await withTaskCancellationHandler {
          await inner.result
        } onCancel: {
          inner.cancel()
        }
      }
      try await sleepers(1)
      #expect(stalls.isEmpty)
      clock.advance(by: .seconds(60))
      try await until { !stalls.isEmpty }
      outer.cancel()
      try await outer.value
    }
    #expect(stalls.count == 1)
    #expect(stalls.first?.job == "inner")
    guard case .stalled("outer") = stalls.first?.kind else {
      Issue.record("it does not say behind which job: \(stalls)")
      return
    }
    #expect("\(stalls[0])" == "notes: inner waits for the turn of outer that started it; does that job await it?")
  }

  /// Fails if: a wait for a key that may be a deadlock does not say which key.
  @Test func aJobOfAKeyThatAwaitsSuchATask() async throws {
    let executor = KeyedSerialTaskExecutor<String>(name: "keys") { [events] in events($0) }
    try await watched {
      let outer = executor.submit(for: "a", name: "outer") {
        let inner = Task { try await executor.enqueue(for: "a", name: "inner") {} }
        _ = await withTaskCancellationHandler {
          await inner.result
        } onCancel: {
          inner.cancel()
        }
      }
      try await sleepers(1)
      clock.advance(by: .seconds(60))
      try await until { !stalls.isEmpty }
      outer.cancel()
      try await outer.value
    }
    #expect(stalls.map(\.keys) == [["a"]])
  }

  /// A line keeps the turns that ended, for the jobs to come.
  ///
  /// Fails if: a turn that is used again has the name of the caller that had it before.
  @Test func aTurnThatIsUsedAgainHasTheNewName() async throws {
    let executor = KeyedSerialTaskExecutor<Int>(name: "keyed") { [events] in events($0) }
    let held = await HeldKey(executor, 1)
    try await watched {
      try await executor.enqueue(for: 2, name: "old") {}
      let outer = executor.submit(for: 3, name: "new") {
        let inner = Task.immediate { try await executor.enqueue(for: 3) {} }
        try await sleepers(1)
        clock.advance(by: .seconds(60))
        try await until { !stalls.isEmpty }
        inner.cancel()
      }
      try await outer.value
    }
    try await held.release()
    #expect(stalls.map { "\($0.kind)" } == ["stalled(behind: Optional(\"new\"))"])
  }

  /// Fails if: a stranger's wait is watched, or a wait that has ended is reported or keeps its timer.
  @Test func aCallerThatGoesOnIsNotReported() async throws {
    let executor = SerialTaskExecutor(name: "notes") { [events] in events($0) }
    try await watched {
      let gate = Gate()
      let stranger = Task {
        await gate.pass()
        try await executor.enqueue(name: "stranger") {}
      }
      var inner: Task<Void, any Error>?
      try await executor.enqueue(name: "outer") {
        inner = Task { try await executor.enqueue(name: "inner") {} }
        try await sleepers(1)
        gate.open()
        try await executor.waits(for: 2)
        #expect(clock.alarms.count == 1, "only the inner job's wait was in doubt")
      }
      try await inner?.value
      try await until { clock.alarms.isEmpty }
      try await stranger.value
    }
    #expect(stalls.isEmpty)
  }

  /// The job ends, and the task that it started waits on, behind another job.
  ///
  /// ```
  /// outer   ├─ starts inner ┤
  /// other                   ├─ has the turn ······┤
  /// inner      └─ waits ········ a minute ········├───┤
  /// ```
  /// Fails if: it is not checked, when the time has come to report, whether the turn still goes on.
  @Test func aTaskThatWaitsOnWhenItsJobHasEnded() async throws {
    let executor = SerialTaskExecutor(name: "notes") { [events] in events($0) }
    let (held, inners) = (Gate(), Log<Task<Void, any Error>>())
    try await watched {
      try await executor.enqueue(name: "outer") {
        executor.submit(name: "other") { await held.pass() }
        for _ in 0..<10 { inners(Task { try await executor.enqueue(name: "inner") {} }) }
        try await executor.waits(for: 11)
        // One timer watches all of them.
        try await sleepers(1)
        #expect(clock.alarms.count == 1)
      }
      await held.arrived()
      clock.advance(by: .seconds(60))
      // Behind those that were just woken; nothing says when they have ended without a word.
      await othersHaveRun()
      #expect(stalls.isEmpty)
      held.open()
      for inner in inners.entries { try await inner.value }
    }
  }

  /// Fails if: who joins a flight is not watched.
  @Test func anOperationThatAwaitsATaskThatJoinsIt() async throws {
    let numbers = TaskCoalescer<Int, Int>(name: "numbers") { [events] in events($0) }
    try await watched {
      let asked = Task {
        try await numbers.value(for: 1, name: "outer") {
          let inner = Task { try await numbers.value(for: 1, name: "inner") { 2 } }
          return await withTaskCancellationHandler {
            (try? await inner.value) ?? 1
          } onCancel: {
            inner.cancel()
          }
        }
      }
      try await sleepers(1)
      clock.advance(by: .seconds(60))
      try await until { !stalls.isEmpty }
      asked.cancel()
      await #expect(throws: CancellationError.self) { try await asked.value }
    }
    #expect(stalls.map(\.job) == ["inner"])
    #expect(
      stalls.map(\.description)
        == ["numbers[1]: inner waits for the turn of outer that started it; does that job await it?"])
  }

  /// Fails if: the wait of a caller of a flight has ended, and is reported or keeps its timer.
  @Test func aCallerOfAFlightThatGoesOnIsNotReported() async throws {
    let numbers = TaskCoalescer<Int, Int>(name: "numbers") { [events] in events($0) }
    try await watched {
      let inners = Log<Task<Int, any Error>>()
      _ = try await numbers.value(for: 1) {
        inners(Task { try await numbers.value(for: 1) { 2 } })
        try await sleepers(1)
        return 1
      }
      for inner in inners.entries { #expect(try await inner.value == 1) }
      try await until { clock.alarms.isEmpty }
    }
    #expect(stalls.isEmpty)
  }

  /// Fails if: who waits for a load is not watched.
  @Test(arguments: [ReloadPolicy.join, .rerun])
  func aLoadThatAwaitsATaskThatAsksForIt(policy: ReloadPolicy) async throws {
    let reload = Mutex<(@Sendable (ReloadPolicy) async throws -> Void)?>(nil)
    let reloader = Reloader<Trigger, Void>(name: "screen") { reason in
      guard reason.isFirst else { return }
      let inner = Task { [ask = reload.withLock { $0 }] in try await ask?(policy) }
      _ = await withTaskCancellationHandler {
        await inner.result
      } onCancel: {
        inner.cancel()
      }
    } apply: { _ in
    } onEvent: { [events] in
      events($0)
    }
    reload.withLock { $0 = { try await reloader.reload(Trigger(policy: $0)) } }
    defer { reload.withLock { $0 = nil } }
    try await watched {
      reloader.request(Trigger(policy: .join, isFirst: true))
      try await sleepers(1)
      clock.advance(by: .seconds(60))
      try await until { !stalls.isEmpty }
      reloader.cancel()
    }
    #expect(stalls.count == 1)
  }

  /// A task of a job whose turn has ended waits like any stranger.
  ///
  /// Fails if: the marker of a turn that has ended is in doubt still.
  @Test func aTaskThatOutlivesItsJobIsAStranger() async throws {
    let executor = SerialTaskExecutor(name: "notes") { [events] in events($0) }
    try await watched {
      let (ended, held) = (Gate(), Gate())
      var late: Task<Void, any Error>?
      try await executor.enqueue(name: "first") {
        late = Task {
          await ended.pass()
          try await executor.enqueue(name: "late") {}
        }
      }
      let other = executor.submit(name: "other") { await held.pass() }
      await held.arrived()
      ended.open()
      try await until { executor.snapshot.waiting > 0 }
      #expect(clock.alarms.count == 0)
      held.open()
      try await other.value
      try await late?.value
    }
  }
}
