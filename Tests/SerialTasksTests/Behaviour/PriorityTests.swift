import CoalescingTasks
import Testing

/// A high-priority waiter raises the priority of the jobs ahead of it.
///
/// Raising is seen where the job asks for its current priority.
@Suite(.watched) struct PriorityTests {
  /// Returns when the current task has been raised to the priority, as it is in the middle of these jobs.
  private static func raised(to priority: TaskPriority) async throws {
    try await until { Task.currentPriority >= priority }
  }

  /// Raising runs its user's code, and the task that is raised may end meanwhile: it must not end too early.
  ///
  /// Fails if: the raise runs under the line's lock (then this hangs), or the holder does not wait for its pin.
  @Test func raisingMayCallTheExecutor() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let log = Log<Int>()
    let running = Task.detached(priority: .background) {
      await withTaskPriorityEscalationHandler {
        try? await executor.enqueue {
          await gate.pass()
          try await Self.raised(to: .high)
        }
      } onPriorityEscalated: { _, _ in
        log(executor.snapshot.waiting)
      }
    }
    await gate.waitForArrivals()
    gate.open()
    try await Task.detached(priority: .high) { try await executor.enqueue {} }.value
    await running.value
    #expect(log.entries.count >= 1)
  }

  /// Tasks that come and go while they are raised, `async let` children among them, whose memory is their parent's.
  @Test func tasksAreRaisedWhileTheyEnd() async throws {
    let executor = SerialTaskExecutor()
    for _ in 0..<2_000 {
      let low = Task.detached(priority: .background) {
        async let first: Void = executor.enqueue { await Task.yield() }
        async let second: Void = executor.enqueue {}
        _ = try await (first, second)
      }
      let high = Task.detached(priority: .high) { try await executor.enqueue {} }
      _ = (try await low.value, try await high.value)
    }
    #expect(executor.snapshot.running == 0)
  }

  /// A task that is made without a priority has its maker's base priority, not the one its maker was raised to.
  ///
  /// Fails if: a submitted job is recorded at its submitter's current priority, and so taken for high enough.
  @Test func aJobOfARaisedSubmitterIsRaised() async throws {
    let executor = SerialTaskExecutor()
    let gate = Gate()
    let submitter = Task.detached(priority: .background) {
      try await Self.raised(to: .high)
      return executor.submit {
        await gate.pass()
        try await Self.raised(to: .high)
      }
    }
    submitter.escalatePriority(to: .high)
    let job = try await submitter.value
    gate.open()
    try await Task.detached(priority: .high) { try await executor.enqueue {} }.value
    try await job.value
  }

  /// Fails if: who joins what waits to follow an operation raises that, and not the operation.
  @Test(arguments: [SharedKind.flight, .load, .renewal]) func whoJoinsWhatFollows(_ kind: SharedKind) async throws {
    let gate = Gate()
    let operation = { @Sendable () async throws in
      gate.open()
      try await Self.raised(to: .high)
      return Task.currentPriority
    }
    let profiles = TaskCoalescer<Int, TaskPriority>()
    let screen = Reloader<Trigger, TaskPriority>(load: { _ in try await operation() }, apply: { _ in })
    let token = RenewingValue<TaskPriority> { _ in Renewed(try await operation(), validFor: .zero) }
    let ask = { @Sendable (policy: SharingPolicy) async throws -> TaskPriority in
      switch kind {
      case .flight: try await profiles.value(for: 1, policy: policy) { try await operation() }
      case .load: try await screen.reload(Trigger(policy))
      case .renewal, .read: try await token.value(policy: policy)
      }
    }
    let running = Task.immediate(priority: .low) { try await ask(.join) }
    await gate.pass()
    let joiners = [TaskPriority.low, .high].map { priority in
      Task.immediate(priority: priority) { try await ask(.rerun) }
    }
    #expect(try await running.value >= .high)
    for joiner in joiners { #expect(try await joiner.value >= .high) }
  }
}
