import Testing

@testable import SerialTasks

/// `submitDetached`: in the line like any job, and without a task before its turn has come.
@Suite(.watched) struct SubmitDetachedTests {
  /// Fails if: a task that a job has started passes for a part of the jobs that run in the same task after it.
  @Test func whatOneHasStartedIsInsideNoOther() async throws {
    let held = await Held()
    let (gate, log) = (Gate(), Log<String>())
    let started = held.executor.submitDetached {
      Task {
        await gate.pass()
        try await held.executor.enqueue { log("started") }
      }
    }
    let next = held.executor.submitDetached {
      gate.open()
      try await held.executor.waitUntil(waiting: 1)
      log("next")
    }
    try await held.release()
    try await next.value
    try await started.value.value
    #expect(log.entries == ["next", "started"])
  }

  /// Fails if: a job that is withdrawn with the one before it is given its turn, and a task, as that leaves.
  @Test func whatIsWithdrawnGetsNoTask() {
    let executor = SerialTaskExecutor()
    let jobs = (0..<2).map { _ in
      DetachedSubmission<Void>(line: executor.line, name: nil, priority: .medium) {}
    }
    let getsTask = executor.line.locked { state in
      var effects = Effects()
      for job in jobs { _ = state.arrive(job, &effects) }
      let withdrawal = state.withdraw()
      _ = state.told(withdrawal.rejected)
      return !withdrawal.effects.started.isEmpty
    }
    #expect(!getsTask && jobs.allSatisfy(\.isRejected))
  }

  /// Its task is cancelled only after the lock has been released: the next job may have come to run in it by then.
  ///
  /// Fails if: a job runs in the task of one that is being cancelled.
  @Test func theTaskOfACancelledJobRunsNoOther() async throws {
    let held = await Held()
    let jobs = (0..<2).map { _ in held.executor.submitDetached {} }
    let line = held.executor.line
    func mayRun() -> Bool { line.locked { _ in jobs[1].submission.mayRun(inTaskOf: jobs[0].submission) } }
    #expect(mayRun())
    line.locked { _ in jobs[0].submission.isCancelled = true }
    #expect(!mayRun())
    try await held.release()
    for job in jobs { try await job.value }
  }

  /// Fails if: a job runs in the task of a neighbour that was made for a lower priority, which what it starts would inherit.
  @Test func aTaskHasThePriorityOfItsJob() async throws {
    let held = await Held()
    held.executor.submitDetached(priority: .low) {}
    let next = held.executor.submitDetached(priority: .high) { Task.basePriority }
    try await held.release()
    #expect(try await next.value == .high)
  }

  /// Fails if: a job that cancels the task in which it runs, and not its handle, cancels those that come after it there.
  @Test func aJobThatCancelsItsOwnTaskCancelsNoOther() async throws {
    let held = await Held()
    let seen = Log<Bool>()
    let jobs = (0..<20).map { number in
      held.executor.submitDetached {
        if number % 5 == 0 { withUnsafeCurrentTask { $0?.cancel() } } else { seen(Task.isCancelled) }
      }
    }
    try await held.release()
    for job in jobs { try await job.value }
    #expect(seen.entries == Array(repeating: false, count: 16))
    #expect(jobs.allSatisfy { !$0.isCancelled })
  }

  /// Fails if: a job runs in the task of a neighbour, whatever that is called.
  @Test func aTaskHasTheNameOfItsJob() async throws {
    let held = await Held()
    let names = ["load", "save", nil, "save"]
    let jobs = names.map { name in held.executor.submitDetached(name: name) { Task.name } }
    try await held.release()
    for (job, name) in zip(jobs, names) { #expect(try await job.value == name) }
  }

  /// Fails if: a task that was cancelled for one job runs the next.
  @Test func cancellingOneCancelsNoOther() async throws {
    let held = await Held()
    let gate = Gate()
    let seen = Log<Bool>()
    let first = held.executor.submitDetached {
      await gate.pass()
      seen(Task.isCancelled)
    }
    held.executor.submitDetached { seen(Task.isCancelled) }
    try await held.release()
    await gate.waitForArrivals()
    first.cancel()
    gate.open()
    try await held.executor.drain()
    #expect(seen.entries == [true, false])
    #expect(first.isCancelled)
  }

  /// When the first job ends, the second has its slot and its task, and a turn that no job has had yet; the third has a task of its
  /// own because of its name.
  ///
  /// Fails if: a job of a key is marked with the turn of a neighbour, or with that of the line, and so waits for itself.
  @Test func aNeighbourOfAKeyIsInsideItsOwnTurn() async throws {
    let (executor, gate) = (KeyedSerialTaskExecutor<Int>(name: "rooms", maximumConcurrentJobs: 1), Gate())
    let first = executor.submitDetached(for: 0) { await gate.pass() }
    let own = { @Sendable (key: Int) in
      await expectCycle(["rooms[\(key)]", "rooms[\(key)]"]) { try await executor.enqueue(for: key) {} }
    }
    let second = executor.submitDetached(for: 1) { await own(1) }
    let third = executor.submitDetached(for: 2, name: "other") { await own(2) }
    let fourth = executor.submitDetached(for: 2) { await own(2) }
    gate.open()
    for job in [first, second, third, fourth] { try await job.value }
  }

  /// Fails if: a job that runs in the task of the one before is reported as begun only after others have gone on that waited for
  /// that one.
  @Test func aNeighbourHasBegunWhenOthersGoOn() async throws {
    let events = EventLog()
    let held = await Held(SerialTaskExecutor(name: "held", onEvent: events.handler))
    held.executor.submitDetached(name: "job") {}
    // It comes to its wait at once, and goes on where the job ends.
    let begun = Task(executorPreference: InPlace()) {
      try await held.executor.drain()
      return events.entries.filter { $0.kind.name == "began" }.map(\.job)
    }
    held.executor.submitDetached(name: "job") {}
    try await held.release()
    #expect(try await begun.value == ["holder", "job", "job"])
  }
}
