import Testing

@testable import SerialTasks

/// `submitDetached`: in the line like any job, and without a task before its turn has come.
@Suite(.watched) struct SubmitDetachedTests {
  /// Fails if: of jobs that run in one task, only the first is known to be inside its turn.
  @Test func eachNeighbourIsInsideItsTurn() async throws {
    let held = await Held()
    let (seen, after) = (Log<Bool>(), Log<Bool>())
    let jobs = (0..<5).map { _ in
      held.executor.submitDetached {
        seen(held.executor.isInJob)
        do {
          try await held.executor.enqueue {}
        } catch JobRejection.deadlock {
          seen(true)
        }
      }
    }
    for job in jobs { job.whenComplete { _ in after(held.executor.isInJob) } }
    try await held.release()
    for job in jobs { try await job.value }
    #expect(seen.entries == Array(repeating: true, count: 10))
    #expect(after.entries == Array(repeating: false, count: 5))
  }

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
      try await held.executor.waits(for: 1)
      log("next")
    }
    try await held.release()
    try await next.value
    try await started.value.value
    #expect(log.entries == ["next", "started"])
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
    await gate.arrived()
    first.cancel()
    gate.open()
    try await held.executor.drain()
    #expect(seen.entries == [true, false])
    #expect(first.isCancelled)
  }

  /// Fails if: the closure outlives its job, as a task's does not.
  @Test func whatItHoldsIsReleasedWhenItHasRun() async throws {
    let executor = SerialTaskExecutor()
    weak var captured: Log<Int>?
    let job: SubmittedJob<Void>
    do {
      let log = Log<Int>()
      captured = log
      job = executor.submitDetached { log(1) }
    }
    try await job.value
    try await executor.drain()
    #expect(captured == nil)
  }

  /// Fails if: the closure of a rejected job lives as long as its handle.
  @Test func aKeptHandleDoesNotKeepWhatNeverRan() async throws {
    let held = await Held()
    let gone = Log<String>()
    let submit = { (name: String) in
      let loud = Loud { gone(name) }
      return held.executor.submitDetached { _ = loud }
    }
    var kept = [submit("cancelled"), submit("withdrawn")]
    kept[0].cancel()
    held.executor.cancelAll()
    held.executor.close()
    kept.append(submit("refused"))
    #expect(gone.entries == ["cancelled", "withdrawn", "refused"])
    for job in kept { await #expect(throws: (any Error).self) { try await job.value } }
    try await held.release()
  }

  /// Fails if: a job of a key that has the task of the one before could still be rejected while it runs.
  @Test func aNeighbourOfAKeyIsCancelledWhileItRuns() async throws {
    let (executor, gates) = (KeyedSerialTaskExecutor<Int>(), [Gate(), Gate()])
    executor.submitDetached(for: 1) { await gates[0].pass() }
    let job = executor.submitDetached(for: 1) {
      await gates[1].pass()
      return Task.isCancelled
    }
    gates[0].open()
    await gates[1].arrived()
    job.cancel()
    gates[1].open()
    #expect(try await job.value)
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
      return events.entries.filter { if case .began = $0.kind { true } else { false } }.map(\.job)
    }
    held.executor.submitDetached(name: "job") {}
    try await held.release()
    #expect(try await begun.value == ["holder", "job", "job"])
  }
}
