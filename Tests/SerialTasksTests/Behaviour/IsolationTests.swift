import SerialTasks
import Testing

private enum Request {
  @TaskLocal static var id = 0
}

private final class Draft { var edits = 0 }

private struct Token: ~Copyable {
  let id: Int
}

private actor Repository {
  let writes = SerialTaskExecutor(name: "repository")
  var saved: [Int] = []

  func save(_ value: Int) async throws {
    try await writes.enqueue {
      self.preconditionIsolated()
      saved.append(value)
      await Task.yield()
      self.preconditionIsolated()
    }
  }

  func submitted() -> SubmittedJob<Int, any Error> {
    writes.submit {
      self.preconditionIsolated()
      return self.saved.count
    }
  }
}

/// README, *Where it runs*, and Guarantees, *Cost* of `SerialTaskExecutor`: the isolation of a job, and what it sees of
/// its caller.
@Suite(.watched) struct IsolationTests {
  /// Fails if: a job is wrapped in a closure that loses the caller's isolation.
  @Test func aJobRunsInItsCallersIsolation() async throws {
    let repository = Repository()
    try await withThrowingTaskGroup { group in
      for value in 0..<20 { group.addTask { try await repository.save(value) } }
      try await group.waitForAll()
    }
    #expect(try await repository.submitted().value == 20)
  }

  /// Also when the caller had to wait, and so was resumed by another task.
  @Test @MainActor func onTheMainActor() async throws {
    let executor = SerialTaskExecutor()
    let draft = Draft()  // not Sendable
    let gate = Gate()
    executor.submit { await gate.pass() }
    let call = Task.immediate { @MainActor in
      try await executor.enqueue {
        MainActor.preconditionIsolated()
        draft.edits += 1
      }
    }
    #expect(executor.snapshot.waiting == 1)
    gate.open()
    try await call.value
    let job = executor.submit {
      MainActor.preconditionIsolated()
      draft.edits += 1
    }
    try await job.value
    #expect(draft.edits == 2)
  }

  /// From the main actor to a free executor there is no hop: what was submitted to the main actor before cannot slip in.
  ///
  /// Fails if: `enqueue` on a free line suspends.
  @Test @MainActor func aFreeLineCostsNoSuspension() async throws {
    let executor = SerialTaskExecutor()
    let log = Log<String>()
    let other = Task { @MainActor in log("other") }
    try await executor.enqueue { log("job") }
    log("after")
    await other.value
    #expect(log.entries == ["job", "after", "other"])
  }

  @Test func aResultNeedNotBeCopyableOrSendable() async throws {
    let executor = SerialTaskExecutor()
    let token: Token = try await executor.enqueue { Token(id: 7) }
    #expect(token.id == 7)
    let draft = try await executor.enqueue { Draft() }
    draft.edits += 1
    #expect(draft.edits == 1)
  }

  /// Fails if: jobs are run by a drain task that carries the first caller's task-locals.
  @Test func aJobSeesItsOwnCallersTaskLocals() async throws {
    let held = await Held()
    let log = Log<Int>()
    let calls = (1...3).map { id in
      Request.$id.withValue(id) {
        held.executor.submit { log(10 * Request.id) }
        return waiting(held.executor) { log(Request.id) }
      }
    }
    try await held.release()
    for call in calls { try await call.value }
    #expect(log.entries == [10, 1, 20, 2, 30, 3])
  }

  @Test func aJobHasItsCallersPriority() async throws {
    let executor = SerialTaskExecutor()
    let priority = try await Task.detached(priority: .background) {
      try await executor.enqueue { Task.currentPriority }
    }.value
    #expect(priority >= .background)
    let submitted = executor.submit(priority: .low) { Task.basePriority }
    #expect(try await submitted.value == .low)
  }

  /// Fails if: `submit` starts the job when the line is free.
  @Test func aSubmittedJobNeverStartsInsideSubmit() async throws {
    for _ in 0..<200 {
      let executor = SerialTaskExecutor()
      let hasReturned = Log<Bool>()
      let gate = Gate()
      let job = executor.submit {
        await gate.pass()
        return hasReturned.entries.count
      }
      hasReturned(true)
      gate.open()
      #expect(try await job.value == 1)
    }
  }

  @Test func aSubmittedJobsTaskIsNamed() async throws {
    let executor = SerialTaskExecutor()
    #expect(try await executor.submit(name: "ship") { Task.name }.value == "ship")
    executor.pause()
    let waiting = executor.submit(name: "later") { Task.name }
    executor.resume()
    #expect(try await waiting.value == "later")
  }
}
