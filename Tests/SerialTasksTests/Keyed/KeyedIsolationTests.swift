import SerialTasks
import Testing

private enum Request {
  @TaskLocal static var id = 0
}

private final class Draft { var edits = 0 }

private struct Token: ~Copyable {
  let id: Int
}

/// README, *Where it runs*, and Guarantees, *Cost* of `KeyedSerialTaskExecutor`: the isolation of a job of a key, and
/// what it sees of its caller.
@Suite(.watched) struct KeyedIsolationTests {
  let executor = KeyedSerialTaskExecutor<String>()

  /// Also when the caller had to wait, and so was resumed by another task.
  ///
  /// Fails if: a job is wrapped in a closure that loses the caller's isolation.
  @Test @MainActor func onTheMainActor() async throws {
    let draft = Draft()  // not Sendable
    let gate = Gate()
    executor.submit(for: "ann") { await gate.pass() }
    let call = Task.immediate { @MainActor in
      try await executor.enqueue(for: "ann") {
        MainActor.preconditionIsolated()
        draft.edits += 1
      }
    }
    #expect(executor.snapshot.waiting == 1)
    gate.open()
    try await call.value
    let job = executor.submit(for: "ann") {
      MainActor.preconditionIsolated()
      draft.edits += 1
    }
    try await job.value
    #expect(draft.edits == 2)
  }

  /// Fails if: `enqueue` for a free key suspends.
  @Test @MainActor func aFreeKeyCostsNoSuspension() async throws {
    let log = Log<String>()
    let other = Task { @MainActor in log("other") }
    try await executor.enqueue(for: "ann") { log("job") }
    log("after")
    await other.value
    #expect(log.entries == ["job", "after", "other"])
  }

  @Test func aResultNeedNotBeCopyableOrSendable() async throws {
    let token: Token = try await executor.enqueue(for: "ann") { Token(id: 7) }
    #expect(token.id == 7)
    let draft = try await executor.enqueue(for: "ann") { Draft() }
    draft.edits += 1
    #expect(draft.edits == 1)
  }

  /// Fails if: a job is run by another caller's task.
  @Test func aJobSeesItsOwnCallersTaskLocals() async throws {
    let held = await HeldKey(executor, "ann")
    let log = Log<Int>()
    let calls = (1...3).map { id in
      Request.$id.withValue(id) {
        executor.submit(for: "ann") { log(10 * Request.id) }
        return waiting(executor, "ann") { log(Request.id) }
      }
    }
    try await held.release()
    for call in calls { try await call.value }
    #expect(log.entries == [10, 1, 20, 2, 30, 3])
  }

  /// Fails if: `submit` starts the job when the key is free.
  @Test func aSubmittedJobNeverStartsInsideSubmit() async throws {
    for _ in 0..<200 {
      let hasReturned = Log<Bool>()
      let gate = Gate()
      let job = executor.submit(for: "ann", name: "ship") {
        await gate.pass()
        return (hasReturned.entries.count, Task.name)
      }
      hasReturned(true)
      gate.open()
      let (returned, name) = try await job.value
      #expect(returned == 1)
      #expect(name == "ship")
    }
  }
}
