import CoalescingTasks
import Testing

/// A caller's task is known by its address while it holds the turn, so it does not return while others are about to raise it:
/// an `async let` would end then, and its memory with it.
///
/// Here the test is one of those others: it has taken hold of the pin and has not raised yet.
///
/// ```
/// test     ├ hold ──────────────────────── raise ┤
/// caller   ├ job ─── ends, turn handed on ······ returns
/// ```
@Suite(.watched) struct EscalationPinTests {
  let executor = SerialTaskExecutor()
  let thread = OneThread()

  /// Takes hold of the task that has the turn, as a task that raises it does under the lock.
  private func hold() throws -> EscalationPin {
    try hold(executor.line)
  }

  private func hold(_ line: Line, to priority: TaskPriority = .high) throws -> EscalationPin {
    let drainer = LineDrainer(priority: priority.rawValue)
    let effects = line.locked { state in
      var effects = Effects()
      _ = state.drain(drainer, &effects)
      state.leave(drainer, .cancelled, &effects)
      return effects
    }
    guard case .escalateCaller(let pin, _)? = effects.others.first else { return try #require(nil) }
    return pin
  }

  /// Ends the caller's job, sees that the turn is handed on and that the caller has not returned, and lets it.
  private func expectToWait(
    _ caller: Task<Void, any Error>, for pin: EscalationPin, _ gate: Gate,
    behind next: () async throws -> Void
  ) async throws {
    let returned = Log<Int>()
    let follower = thread.start {
      try await caller.value
      returned(1)
    }
    gate.open()
    // Until the job has ended: a call that came before would take it the long way out.
    for _ in 0..<10 { try await thread.allHaveParked() }
    try await next()
    #expect(returned.entries.isEmpty)
    pin.escalate(to: TaskPriority.high.rawValue)
    try await follower.value
  }

  private func calling(_ gate: Gate, name: String? = nil) -> Task<Void, any Error> {
    thread.start { [executor] in try await executor.enqueue(name: name) { await gate.pass() } }
  }

  /// A job with a name ends in another way than one without.
  ///
  /// Fails if: the short way out of a line in which no job waits forgets the pin, or the long way does.
  @Test(arguments: [nil, "job"]) func aCallerThatFoundTheLineFree(name: String?) async throws {
    let gate = Gate()
    let caller = calling(gate, name: name)
    await gate.waitForArrivals()
    try await expectToWait(caller, for: hold(), gate) { try await executor.enqueue {} }
  }

  /// Fails if: each raise has a pin of its own, and the caller waits for the last only.
  @Test func aCallerThatIsRaisedTwice() async throws {
    let gate = Gate()
    let caller = calling(gate, name: "job")
    await gate.waitForArrivals()
    let first = try hold()
    try hold(executor.line, to: TaskPriority(rawValue: 33)).escalate(to: 33)
    try await expectToWait(caller, for: first, gate) { try await executor.enqueue {} }
  }

  /// Fails if: the short way from one waiter to the next forgets the pin.
  @Test func aCallerThatWaitedAndHandsItsTurnToTheNext() async throws {
    let (first, gate) = (Gate(), Gate())
    let callers = [calling(first), calling(gate)]
    try await thread.allHaveParked()
    first.open()
    await gate.waitForArrivals()
    let pin = try hold()
    let next = calling(first)
    try await thread.allHaveParked()
    #expect(executor.snapshot.waiting == 1)
    try await expectToWait(callers[1], for: pin, gate) { try await executor.enqueue {} }
    try await callers[0].value
    try await next.value
  }

  /// Fails if: a write that found its repository free forgets the pin when it ends.
  @Test func aWriteThatFoundTheRepositoryFree() async throws {
    let (repository, gate) = (CoalescingTaskExecutor<Int>(), Gate())
    let caller = thread.start { try await repository.write { await gate.pass() } }
    await gate.waitForArrivals()
    try await expectToWait(caller, for: hold(repository.line), gate) { try await repository.write {} }
  }

  /// A caller that was granted its turn, and is cancelled before it goes on: it was raised for a job that never runs.
  ///
  /// Fails if: a caller that is rejected does not wait for those that saw it hold the turn.
  @Test func aCallerThatLeavesWithItsTurn() async throws {
    let (gate, granted, returned) = (Gate(), Log<EscalationPin>(), Log<Int>())
    let callers = Log<Task<Void, any Error>>()
    let holder = thread.start { [executor] in
      try await executor.enqueue { await gate.pass() }
      // The caller behind it has been granted the turn, and its task has not run yet.
      granted(try hold())
      callers.entries[0].cancel()
    }
    try await thread.allHaveParked()
    let caller = calling(gate)
    callers(caller)
    let follower = thread.start {
      _ = await caller.result
      returned(1)
    }
    try await thread.allHaveParked()
    gate.open()
    try await holder.value
    for _ in 0..<10 { try await thread.allHaveParked() }
    #expect(executor.snapshot.running == 0)
    #expect(returned.entries.isEmpty)
    for pin in granted.entries { pin.escalate(to: TaskPriority.high.rawValue) }
    try await follower.value
    await #expect(throws: CancellationError.self) { try await caller.value }
  }
}
