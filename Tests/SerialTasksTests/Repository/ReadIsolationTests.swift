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
  let notes = CoalescingTaskExecutor<String>(name: "repository")
  var saved: [Int] = []

  func save(_ value: Int) async throws {
    try await notes.write {
      self.preconditionIsolated()
      saved.append(value)
      await Task.yield()
      self.preconditionIsolated()
    }
  }

  func count() async throws -> Int {
    let count = try await notes.read("count") {
      self.preconditionIsolated()
      await Task.yield()
      self.preconditionIsolated()
      return self.saved.count
    }
    self.preconditionIsolated()
    return count
  }

  func saveLater(_ value: Int) -> SubmittedJob<Void, any Error> {
    notes.submitWrite {
      self.preconditionIsolated()
      self.saved.append(value)
    }
  }
}

/// README, *Where it runs*, and Guarantees, *Cost* of `CoalescingTaskExecutor`: the isolation of reads and writes, and
/// what they see.
@Suite(.watched) struct ReadIsolationTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let gate = Gate()

  /// Fails if: a read or a write is wrapped in a closure that loses its isolation.
  @Test func inTheIsolationOfAnActor() async throws {
    let repository = Repository()
    try await withThrowingTaskGroup { group in
      for value in 0..<20 {
        group.addTask { try await repository.save(value) }
        group.addTask { _ = try await repository.count() }
      }
      try await group.waitForAll()
    }
    try await repository.saveLater(20).value
    #expect(try await repository.count() == 21)
  }

  /// With captures that are not Sendable, and after having waited.
  @Test @MainActor func onTheMainActor() async throws {
    let draft = Draft()
    let held = await HeldJob.reading(executor, "held")
    let write = Task.immediate { @MainActor in
      try await executor.write {
        MainActor.preconditionIsolated()
        draft.edits += 1
      }
    }
    let reads = (0..<3).map { _ in
      Task.immediate { @MainActor in
        let edits = try await executor.read("edits") {
          MainActor.preconditionIsolated()
          await Task.yield()
          MainActor.preconditionIsolated()
          return draft.edits
        }
        MainActor.preconditionIsolated()
        return edits
      }
    }
    #expect(executor.counts == [2, 1])
    try await held.release()
    try await write.value
    for read in reads { #expect(try await read.value == 1) }
    try await executor.submitWrite { draft.edits += 1 }.value
    #expect(draft.edits == 2)
  }

  @Test func aWritesResultNeedNotBeCopyableOrSendable() async throws {
    let token: Token = try await executor.write { Token(id: 7) }
    #expect(token.id == 7)
    let draft = try await executor.write { Draft() }
    draft.edits += 1
    #expect(draft.edits == 1)
  }

  /// Fails if: a read sees a joiner's task-locals, or none, or those of the task that let it in.
  @Test(arguments: [false, true]) func aReadSeesItsLeadersTaskLocals(haveWaited: Bool) async throws {
    let held = haveWaited ? await HeldJob.writing(executor) : nil
    let reads = (1...3).map { id in
      Request.$id.withValue(id) {
        reading(executor, "a") { [gate] in
          await gate.pass()
          return Request.id
        }
      }
    }
    let other = Request.$id.withValue(4) { reading(executor, "b") { Request.id } }
    try await held?.release()
    gate.open()
    for read in reads { #expect(try await read.value == 1) }
    #expect(try await other.value == 4)
    #expect(try await Request.$id.withValue(5) { try await executor.write { Request.id } } == 5)
  }

  /// Fails if: a read takes the jobs for its own in which its leader runs.
  @Test func aReadIsNotInItsLeadersJob() async throws {
    let audit = SerialTaskExecutor(name: "audit")
    #expect(try await audit.enqueue { try await executor.read("a") { audit.isInJob } } == false)
    #expect(try await audit.enqueue { try await executor.write { audit.isInJob } })
  }

  /// Fails if: a free read costs its leader a hop before it begins.
  @Test func aFreeReadBeginsAtOnce() async throws {
    let backend = Backend()
    let read = reading(executor, "a") { await backend.fetch() }
    #expect(backend.calls == 1)
    backend.gate.open()
    #expect(try await read.value == 1)
  }

  /// Fails if: `submitWrite` starts the job when the line is free.
  @Test func aSubmittedWriteNeverStartsInsideTheCall() async throws {
    for _ in 0..<200 {
      let (hasReturned, gate) = (Log<Bool>(), Gate())
      let job = executor.submitWrite {
        await gate.pass()
        return hasReturned.entries.count
      }
      hasReturned(true)
      gate.open()
      #expect(try await job.value == 1)
    }
  }

  @Test func tasksAreNamed() async throws {
    #expect(try await executor.read("a", name: "all") { Task.name } == "all")
    let held = await HeldJob.writing(executor)
    let waiting = reading(executor, "a", name: "late") { Task.name }
    let submitted = executor.submitWrite(name: "save") { Task.name }
    try await held.release()
    #expect(try await waiting.value == "late")
    #expect(try await submitted.value == "save")
  }

  /// Those who have their answer are resumed before the write behind it and before those who drain.
  ///
  /// On an executor of one thread they also run in that order.
  ///
  /// Fails if: the turn is handed on before the callers are answered.
  @Test func answersComeBeforeWhatStoodBehindThem() async throws {
    let (log, thread) = (Log<String>(), OneThread())
    let (executor, gate) = (executor, gate)
    var tasks = (0..<3).map { index in
      thread.start {
        try await executor.read("a") { await gate.pass() }
        log("answer \(index)")
      }
    }
    tasks.append(thread.start { try await executor.write { log("write") } })
    try await thread.allHaveParked()
    gate.open()
    for task in tasks { try await task.value }
    let second = Gate()
    let last = [
      thread.start {
        try await executor.read("a") { await second.pass() }
        log("last answer")
      },
      thread.start {
        try await executor.drain()
        log("drained")
      },
    ]
    try await thread.allHaveParked()
    second.open()
    for task in last { try await task.value }
    #expect(log.entries == ["answer 0", "answer 1", "answer 2", "write", "last answer", "drained"])
  }
}
