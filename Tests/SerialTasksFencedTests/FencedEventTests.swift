import SerialTasks
import SerialTasksFenced
import Testing

/// What is reported of jobs that wait for access, on a clock that stands still.
@Suite(.watched) struct FencedEventTests {
  let clock = ManualClock()
  let gate = Gate()
  let events = Log<String>()

  private func executor(_ engine: Engine) -> FencedSerialTaskExecutor<String> {
    FencedSerialTaskExecutor(
      name: "fenced", access: engine, clock: clock, onEvent: { [events] in events(Self.text($0)) })
  }

  /// The event, and in seconds when it happened, how long the job waited, and how long it ran.
  private static func text(_ event: TaskEvent) -> String {
    let times = [event.waited, event.ran].map { $0.map { "\($0.components.seconds)" } ?? "-" }
    let kind =
      switch event.kind {
      case .rejected(let why): "rejected \(why == .late ? "late" : why == .withdrawn ? "withdrawn" : "cancelled")"
      case .failed(let error): "failed \(error)"
      default: "\(event.kind)"
      }
    return "\(event.job ?? "-") \(kind) \(times.joined(separator: " "))"
  }

  private func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

  /// ```
  ///   0 a asks ── 1 b comes ── 3 granted: a runs ── 7 a ends: b runs ── 9 b ends
  /// ```
  /// Fails if: the wait for access counts as running, or not as waiting, or a job begins before it has access.
  @Test func aJobBeginsWhenItHasAccess() async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let callers = Callers(executor: executor(engine))
    let turns = (Gate(), Gate())
    let a = callers.call("a") { _ in await turns.0.pass() }
    await gate.arrived()
    pass(1)
    let b = callers.call("b") { _ in await turns.1.pass() }
    pass(2)
    #expect(events.entries == ["b waiting - -"])
    gate.open()
    await turns.0.arrived()
    #expect(events.entries == ["b waiting - -", "a began 3 -"])
    pass(4)
    turns.0.open()
    try await a.value
    await turns.1.arrived()
    pass(2)
    turns.1.open()
    try await b.value
    #expect(events.entries == ["b waiting - -", "a began 3 -", "a finished 3 4", "b began 6 -", "b finished 6 2"])
  }

  /// Fails if: a job that is late, cancelled or withdrawn while it waits for access is reported to have begun, or its wait is lost.
  @Test(arguments: ["late", "cancelled", "withdrawn"]) func aJobThatNeverHasAccess(why: String) async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let executor = executor(engine)
    let call = Task.immediate {
      try await executor.enqueue(for: "k", name: "a", waitingAtMost: .seconds(5)) { _ in Issue.record("it ran") }
    }
    await gate.arrived()
    try await clock.sleepers()
    pass(3)
    switch why {
    case "late": pass(2)
    case "cancelled": call.cancel()
    default: executor.cancelAll()
    }
    await #expect(throws: (any Error).self) { try await call.value }
    gate.open()
    try await executor.drain()
    #expect(events.entries == ["a rejected \(why) \(why == "late" ? 5 : 3) -"])
  }

  /// Fails if: a job that is withdrawn while it waits for access, by a call that also cancels its task, is reported as cancelled.
  @Test(arguments: ["all", "key", "end"]) func aJobIsWithdrawnAndItsTaskCancelled(by call: String) async throws {
    let engine = Engine { [gate] _ in await gate.pass() }
    let executor = executor(engine)
    let job = Task.immediate {
      if call == "end" {
        try await executor.enqueue(for: "k", name: "a") { _ in }
      } else {
        try await executor.submit(for: "k", name: "a") { _ in }.value
      }
    }
    await gate.arrived()
    switch call {
    case "all": executor.cancelAll()
    case "key": executor.cancelAll(for: "k")
    default: Task.immediate { await executor.shutDown(within: .zero) }
    }
    await #expect(throws: JobRejection.withdrawn) { try await job.value }
    gate.open()
    try await executor.drain()
    #expect(events.entries == ["a rejected withdrawn 0 -"])
  }

  /// Fails if: the error of the engine is not reported of each job, or the wait for it counts as running.
  @Test func anEngineThatFails() async throws {
    let engine = Engine { [gate] _ in
      await gate.pass()
      throw EngineError(request: 1)
    }
    let callers = Callers(executor: executor(engine))
    let (a, b) = (callers.call("a"), callers.call("b"))
    await gate.arrived()
    pass(3)
    gate.open()
    for call in [a, b] { await #expect(throws: EngineError.self) { try await call.value } }
    let failed = "failed EngineError(request: 1) 3 0"
    #expect(events.entries == ["b waiting - -", "a began 3 -", "a \(failed)", "b began 3 -", "b \(failed)"])
  }

  /// Fails if: a closure without a label is called for requests, and not for jobs as with every other type.
  @Test func aClosureWithoutALabelIsCalledForJobs() async throws {
    let events = Log<String>()
    let executor = FencedSerialTaskExecutor<String>(name: "accounts", access: Engine()) { event in
      events("\(event.executor) \(event.keys) \(event.kind)")
    }
    try await executor.enqueue(for: "k") { _ in }
    try await executor.drain()
    #expect(events.entries == [#"accounts ["k"] began"#, #"accounts ["k"] finished"#])
  }
}
