import SerialTasks
import SerialTasksFenced
import Testing

/// Access that cannot be had, or is lost.
@Suite(.watched) struct FencedFailureTests {
  let gate = Gate()

  /// ```
  ///   a asks ── b and c wait behind it ── the engine fails: a, b and c throw ── d asks again, and runs
  /// ```
  /// Fails if: a job that waited asks again, and all stand in line for one failure after the other; or a failure is kept.
  @Test func anErrorReachesTheJobsThatAsked() async throws {
    let engine = Engine { [gate] request in
      await gate.pass()
      if request == 1 { throw EngineError(request: request) }
    }
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let calls = ["a", "b", "c"].map { callers.call($0) }
    await gate.arrived()
    gate.open()
    for call in calls { await #expect(throws: EngineError(request: 1)) { try await call.value } }
    try await callers.call("d").value
    #expect(callers.log.entries == ["d 1"] && engine.requests == 2)
  }

  /// Fails if: an engine that returns without granting makes its callers wait for ever.
  @Test func anEngineThatGrantsNothing() async throws {
    struct Nothing: ExclusiveAccess {
      nonisolated(nonsending) func withAccess(
        to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
      ) async throws {}
    }
    let executor = FencedSerialTaskExecutor(access: Nothing())
    await #expect(throws: AccessError.notGranted) { try await executor.enqueue(for: "k") { _ in } }
  }

  /// Fails if: an engine that runs the turn twice makes a job run under a grant that it does not know.
  @Test func anEngineThatGrantsTwice() async throws {
    struct Twice: ExclusiveAccess {
      nonisolated(nonsending) func withAccess(
        to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
      ) async throws {
        try await turn(Fence(number: 1) {})
        try await turn(Fence(number: 2) {})
      }
    }
    let executor = FencedSerialTaskExecutor(access: Twice())
    for _ in 1...3 { #expect(try await executor.enqueue(for: "k") { $0.number } == 1) }
    try await executor.drain()
  }

  /// ```
  ///   a runs under 1 ── 1 is lost ── a sees it in check() ── b asks again, and runs under 2
  /// ```
  /// Fails if: the next job runs under a fence that is known to be lost.
  @Test func afterALossTheNextJobAsksAgain() async throws {
    let engine = Engine()
    let callers = Callers(executor: FencedSerialTaskExecutor(access: engine))
    let a = callers.call("a") { [gate] fence in
      await gate.pass()
      try fence.check()
    }
    await gate.arrived()
    let b = callers.call("b")
    engine.lose(1)
    gate.open()
    await #expect(throws: AccessError.self) { try await a.value }
    try await b.value
    #expect(callers.log.entries == ["a 1", "b 2"])
  }

  /// An engine whose grants are lost as soon as they are given.
  ///
  /// Fails if: the executor asks again and again, instead of saying so.
  @Test func aGrantThatIsLostAtOnce() async throws {
    let engine = Engine()
    engine.lose(1)
    let executor = FencedSerialTaskExecutor(access: engine)
    await #expect(throws: AccessError.lost(number: 1, reason: "the test says so")) {
      try await executor.enqueue(for: "k") { _ in }
    }
    #expect(try await executor.enqueue(for: "k") { $0.number } == 2)
  }

  /// Fails if: a fence that was kept longer than its job passes for held when access was released.
  @Test func aKeptFenceIsLostWithTheRelease() async throws {
    let executor = FencedSerialTaskExecutor(access: Engine())
    let fence = try await executor.enqueue(for: "k") { fence in
      try fence.check()
      return fence
    }
    try await executor.drain()
    #expect(throws: AccessError.lost(number: 1, reason: "it was released")) { try fence.check() }
  }
}

/// An engine that ends a request while a job runs under it.
@Suite(.watched) struct FencedEndedRequestTests {
  /// Cancels the task that holds access when its lease is over.
  private struct Expiring: ExclusiveAccess {
    let expiry = Gate()

    nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      // Safe because the task goes on until the other has ended.
      nonisolated(unsafe) let task = withUnsafeCurrentTask { $0! }
      let expiring = Task { [expiry] in
        await expiry.pass()
        task.cancel()
      }
      try await turn(Fence(number: 1) {})
      await expiring.value
    }
  }

  /// ```
  ///   a runs under 1 ── the engine cancels the turn, and the request ends ── a looks at its fence
  /// ```
  /// Fails if: the fence of a request that has come to its end passes for held.
  @Test func theFenceOfAnEndedRequestIsLost() async throws {
    let engine = Expiring()
    let executor = FencedSerialTaskExecutor(name: "ended", access: engine)
    try await executor.enqueue(for: "k") { fence in
      try fence.check()
      engine.expiry.open()
      try await until { !WaitReport.current.executors.contains { $0.name == "ended access[k]" } }
      #expect(throws: AccessError.lost(number: 1, reason: "it was released")) { try fence.check() }
    }
    try await executor.drain()
  }
}

/// Deadlocks are found inside one process.
@Suite(.watched) struct FencedDeadlockTests {
  let executor = FencedSerialTaskExecutor(name: "fenced", access: Engine())

  /// Fails if: a job that asks for its own key hangs.
  @Test func aJobThatAsksForItsOwnKey() async throws {
    try await executor.enqueue(for: "k") { _ in
      do {
        try await executor.enqueue(for: "k") { _ in }
        Issue.record("a job waited for itself")
      } catch JobRejection.deadlock(let deadlock) { #expect(deadlock.path == ["fenced[k]", "fenced[k]"]) }
      await #expect(throws: JobRejection.self) { try await executor.drain() }
    }
  }

  /// Fails if: two jobs of this process that ask for each other's keys hang.
  @Test func twoJobsInOppositeOrder() async throws {
    let both = (Gate(), Gate())
    let one = Task.immediate { [executor] in
      try await executor.enqueue(for: "a") { _ in
        await both.0.pass()
        try await executor.enqueue(for: "b") { _ in }
      }
    }
    let other = Task.immediate { [executor] in
      try await executor.enqueue(for: "b") { _ in
        await both.1.pass()
        try await executor.enqueue(for: "a") { _ in }
      }
    }
    await both.0.arrived()
    await both.1.arrived()
    both.0.open()
    both.1.open()
    let results = [await one.result, await other.result]
    #expect(results.count { (try? $0.get()) != nil } == 1)
  }

  /// Fails if: a job may not ask for another key, or waits for the access of its own there.
  @Test func aJobMayAskForAnotherKey() async throws {
    let numbers = try await executor.enqueue(for: "a") { outer in
      [outer.number, try await executor.enqueue(for: "b") { $0.number }]
    }
    #expect(numbers == [1, 1])
  }
}

/// Exactly typed errors.
@Suite(.watched) struct FencedTypedTests {
  enum BankError: Error {
    case unavailable(FencedRejection)
    case noMoney
  }

  let gate = Gate()

  /// Fails if: what the engine throws, a rejection and the job's own error are not told apart.
  @Test func errorsAreTyped() async throws {
    let engine = Engine { if $0 == 1 { throw EngineError(request: 1) } }
    let executor = FencedSerialTaskExecutor(access: engine)
    func call(_ job: (Fence) throws(BankError) -> Void = { _ in }) async throws(BankError) {
      try await executor.enqueue(for: "k", rejectedAs: BankError.unavailable) { fence async throws(BankError) in
        try job(fence)
      }
    }
    do throws(BankError) { try await call() } catch {
      if case .unavailable(.noAccess(let why)) = error {
        #expect(why as? EngineError == EngineError(request: 1))
      } else {
        Issue.record(error)
      }
    }
    do throws(BankError) { try await call { _ throws(BankError) in throw .noMoney } } catch {
      if case .noMoney = error {} else { Issue.record(error) }
    }
    executor.close()
    do throws(BankError) { try await call() } catch {
      if case .unavailable(.rejected(.closed)) = error {} else { Issue.record(error) }
    }
  }
}
