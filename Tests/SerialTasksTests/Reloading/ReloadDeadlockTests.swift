import CoalescingTasks
import TestWatch
import Testing

/// A load that waits for its own reloader is rejected, and no other caller is.
@Suite(.watched) struct ReloadDeadlockTests {
  /// A reloader whose load is the test's.
  private final class Looped: Sendable {
    private let reload = Lock<(@Sendable (Looped) async throws -> Int)?>(nil)
    private let own = Lock<Reloader<Trigger, Int>?>(nil)
    let applied = Log<Int>()

    init(_ load: @escaping @Sendable (Looped) async throws -> Int) {
      let applied = applied
      own.withLock {
        $0 = Reloader(name: "screen", load: { [unowned self] _ in try await load(self) }, apply: { applied($0) })
      }
    }

    var reloader: Reloader<Trigger, Int> { own.withLock { $0! } }
  }

  private func expectCycle(
    _ path: [String] = ["screen", "screen"], _ trigger: Trigger = .appear,
    _ load: @escaping @Sendable (Looped) async throws -> Int
  ) async {
    let looped = Looped(load)
    let error = await #expect(throws: JobRejection.self) { try await looped.reloader.reload(trigger) }
    #expect(error == .deadlock(DeadlockError(path: path)))
    #expect(looped.reloader.snapshot.running == 0)
    #expect(looped.applied.entries.isEmpty)
  }

  /// Fails if: a load that was superseded waits for itself in a shutdown. (Then this hangs.)
  @Test func aSupersededLoadThatShutsDown() async throws {
    let (gate, loads, log) = (Gate(), Log<Int>(), Log<Bool>())
    let looped = Looped { looped in
      loads(1)
      if loads.entries.count == 1 {
        await gate.pass()
        log(await looped.reloader.shutDown(within: .seconds(1)))
      }
      return 1
    }
    looped.reloader.request(.change)
    await gate.arrived()
    _ = try await looped.reloader.reload(.change)
    gate.open()
    try await until { !log.entries.isEmpty }
    #expect(log.entries == [false])
    try await looped.reloader.drain()
  }

  /// ```
  ///   a job runs ── load 1 waits for the job ── the job asks for another in its place: load 1 ends, load 2 loads
  /// ```
  /// Fails if: a job is rejected because of a load that it does not wait for, but ends.
  @Test func aJobThatTheLoadWaitsForSupersedesIt() async throws {
    let (executor, gate, loads) = (SerialTaskExecutor(name: "notes"), Gate(), Log<Int>())
    let looped = Looped { _ in
      loads(loads.entries.count + 1)
      if loads.entries.count == 1 { try await executor.enqueue {} }
      return loads.entries.count
    }
    let job = Task.immediate {
      try await executor.enqueue {
        await gate.pass()
        return try await looped.reloader.reload(.change)
      }
    }
    await gate.arrived()
    let first = Task.immediate { try await looped.reloader.reload(.appear) }
    try await executor.waits(for: 1)
    gate.open()
    #expect(try await job.value == 2)
    #expect(try await first.value == 2)
  }

  /// The job waits for a load that waits for the job, or for one that would follow it.
  ///
  /// Fails if: callers that hold turns are not in the wait graph, or with the load that they wait behind.
  @Test(arguments: [Trigger.appear, .pull]) func aJobThatTheLoadWaitsFor(trigger: Trigger) async throws {
    let executor = SerialTaskExecutor(name: "notes")
    let asked = Gate()
    let reloader = Reloader<Trigger, Int>(name: "screen") { _ in
      await asked.pass()
      return try await executor.enqueue { 1 }
    } apply: { _ in
    }
    let loading = Task.immediate { try await reloader.reload(.appear) }
    await asked.arrived()
    let job = Task.immediate { try await executor.enqueue { try await reloader.reload(trigger) } }
    asked.open()
    // The call that closes the cycle is rejected: the load, when it asks for the executor.
    await #expect(throws: JobRejection.deadlock(DeadlockError(path: ["notes", "screen", "notes"]))) {
      try await loading.value
    }
    if trigger == .appear {
      await #expect(throws: JobRejection.self) { try await job.value }
    } else {
      // The load that follows waits for the same job again, and is rejected too.
      await #expect(throws: JobRejection.deadlock(DeadlockError(path: ["notes", "screen", "notes"]))) {
        try await job.value
      }
    }
    #expect(try await executor.enqueue { 1 } == 1)
  }

  /// Fails if: a rejected caller has superseded what runs.
  @Test func aRejectedCallerHasSupersededNothing() async throws {
    let looped = Looped { looped in
      do { return try await looped.reloader.reload(.change) } catch JobRejection.deadlock { return 2 }
    }
    #expect(try await looped.reloader.reload(.appear) == 2)
    #expect(looped.applied.entries == [2])
  }

  /// ```
  /// load 0   ├─ waits for notes ············ notes ┤├─ load 1 ┤
  /// job           ├─ notes ── asks for load 2 ✗ ─┤
  /// ```
  /// Fails if: a rejected caller has asked first, and has changed for what reason the next load is made.
  @Test func aRejectedCallerHasChangedNothingThatFollows() async throws {
    struct Pull: ReloadReason {
      let number: Int
      let policy = ReloadPolicy.rerun
    }
    let (notes, asked, loaded) = (SerialTaskExecutor(name: "notes"), Gate(), Log<Int>())
    let reloader = Reloader<Pull, Int>(name: "screen") { pull in
      loaded(pull.number)
      guard pull.number == 0 else { return pull.number }
      await asked.pass()
      return try await notes.enqueue { 0 }
    } apply: { _ in
    }
    let first = Task.immediate { try await reloader.reload(Pull(number: 0)) }
    await asked.arrived()
    let next = Task.immediate { try await reloader.reload(Pull(number: 1)) }
    try await notes.enqueue {
      asked.open()
      try await notes.waits(for: 1)
      await SerialTasksTests.expectCycle(["screen", "notes", "screen"]) { try await reloader.reload(Pull(number: 2)) }
      #expect(reloader.snapshot.next?.number == 1)
    }
    #expect(try await (first.value, next.value) == (0, 1))
    #expect(loaded.entries == [0, 1])
  }

  /// No task waits, so there is no cycle: a load may request another.
  ///
  /// Fails if: a caller that does not wait is rejected as if it waited.
  @Test func aLoadMayRequest() async throws {
    let looped = Looped { looped in
      if looped.applied.entries.isEmpty { looped.reloader.request(.pull) }
      looped.reloader.request(.appear)
      return 1
    }
    #expect(try await looped.reloader.reload(.appear) == 1)
    try await until { looped.applied.entries.count == 2 && looped.reloader.snapshot.running == 0 }
  }

  /// Fails if: reloaders without a name read alike.
  @Test func anUnnamedReloaderReadsAsItsTypeAndAShortID() {
    #expect(Reloader<Trigger, Int>(load: { _ in 1 }, apply: { _ in }).label.hasPrefix("Reloader<Trigger, Int>#"))
  }
}
