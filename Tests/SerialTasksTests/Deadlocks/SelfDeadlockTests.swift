import SerialTasks
import TestWatch
import Testing

private actor Passing {
  /// An actor between the job and the call that would hang.
  func on(_ body: @Sendable () async throws -> Void) async throws { try await body() }
}

/// A job that waits for its own executor is rejected, however it came there, and no other job is.
@Suite(.watched) struct SelfDeadlockTests {
  let executor = SerialTaskExecutor(name: "notes")

  private nonisolated(nonsending) func expectCycle(
    _ path: [String] = ["notes", "notes"], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async {
    let error = await #expect(throws: JobRejection.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error == .deadlock(DeadlockError(path: path)), sourceLocation: sourceLocation)
  }

  @Test func throughActorsAndFunctions() async throws {
    @Sendable func deeper(_ depth: Int) async throws {
      if depth == 0 { return try await executor.enqueue {} }
      try await Passing().on { try await deeper(depth - 1) }
    }
    await expectCycle { try await executor.enqueue { try await deeper(5) } }
  }

  @Test func itsOwnValue() async throws {
    let own = Log<SubmittedJob<Void>>()
    let gate = Gate()
    let job = executor.submit {
      await gate.pass()
      try await own.entries[0].value
    }
    own(job)
    gate.open()
    await expectCycle { try await job.value }
  }

  /// The value of a job that has ended is no wait.
  @Test func theValueOfAJobThatHasEnded() async throws {
    let done = executor.submit { 7 }
    _ = try await done.value
    #expect(try await executor.enqueue { try await done.value } == 7)
  }

  /// A rejected job stands behind no other, also while its rejection is still being reported.
  ///
  /// Fails if: any job of the line that is not settled is taken for one that waits in it.
  @Test func theValueOfAJobThatIsJustBeingCancelled() async throws {
    let log = Log<String>()
    try await executor.enqueue {
      let behind = executor.submit {}
      let asker = Log<Task<Void, Never>>()
      behind.whenComplete { _ in
        // The job is rejected, and those who await its value do not know yet.
        asker(
          Task.immediate {
            do { try await behind.value } catch { log("\(error)") }
          })
      }
      behind.cancel()
      for task in asker.entries { await task.value }
      do { try await behind.value } catch { log("\(error)") }
    }
    #expect(log.entries == ["CancellationError()", "CancellationError()"])
  }

  @Test func isInJobSaysSo() async throws {
    #expect(!executor.isInJob)
    try await executor.enqueue {
      #expect(executor.isInJob)
      executor.preconditionInJob()
      #expect(await Task { executor.isInJob }.value == false)
    }
    #expect(try await executor.submit { executor.isInJob }.value)
    #expect(!executor.isInJob)
  }
}
