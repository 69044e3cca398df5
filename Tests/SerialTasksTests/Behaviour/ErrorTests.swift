import SerialTasks
import Testing

private final class Failure: Error, Sendable {}

private enum NotesError: Error, Equatable {
  case unavailable(JobRejection)
  case missing(Int)
}

/// Guarantees, *Failure* of `SerialTaskExecutor`: the job's own error, and why a job was rejected.
@Suite(.watched) struct ErrorTests {
  /// Fails if: an error is wrapped, copied or stored for the next caller.
  @Test func aJobsErrorComesBackAsItIs() async throws {
    let executor = SerialTaskExecutor()
    let failure = Failure()
    let thrown = await #expect(throws: Failure.self) { try await executor.enqueue { throw failure } }
    #expect(thrown === failure)
    let submitted = await #expect(throws: Failure.self) {
      try await executor.submit { () async throws -> Int in throw failure }.value
    }
    #expect(submitted === failure)
    #expect(try await executor.enqueue { 1 } == 1)
  }

  /// The compiler checks here that nothing but `NotesError` can be thrown.
  @Test func typedErrorsStayTyped() async {
    let executor = SerialTaskExecutor()
    func fetch(_ id: Int) async throws(NotesError) -> Int {
      try await executor.enqueue(rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
        if id > 9 { throw NotesError.missing(id) }
        return id
      }
    }
    do throws(NotesError) {
      #expect(try await fetch(1) == 1)
      _ = try await fetch(10)
      Issue.record("the job's error was lost")
    } catch {
      #expect(error == .missing(10))
    }
    executor.close()
    await #expect(throws: NotesError.unavailable(.closed)) { try await fetch(1) }
  }

  @Test func aTypedHandleThrowsTyped() async {
    let executor = SerialTaskExecutor()
    let job = executor.submit(rejectedAs: NotesError.unavailable) { () async throws(NotesError) -> Int in
      throw NotesError.missing(3)
    }
    await #expect(throws: NotesError.missing(3)) { try await job.value }
    executor.close()
    let late = executor.submit(rejectedAs: NotesError.unavailable) { () async throws(NotesError) -> Int in 1 }
    #expect(await late.result == .failure(.unavailable(.closed)))
  }

  /// Fails if: the job begins before it is decided that it may.
  @Test func aRejectedJobNeverRuns() async throws {
    let log = Log<String>()
    let held = await Held(SerialTaskExecutor(capacity: 1))
    let executor = held.executor
    let kept = waiting(executor) { log("kept") }
    await #expect(throws: JobRejection.full(capacity: 1)) { try await executor.enqueue { log("full") } }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.enqueue { log("closed") } }
    await #expect(throws: JobRejection.closed) { try await executor.submit { log("closed") }.value }
    executor.cancelAll()
    await #expect(throws: JobRejection.withdrawn) { try await kept.value }
    try await held.release()
    try await executor.drain()
    #expect(log.entries.isEmpty)
  }

  @Test func rejectionsReadAsSentences() {
    let rejections: [JobRejection] = [
      .cancelled, .withdrawn, .full(capacity: 3), .closed, .deadlock(DeadlockError(path: ["a", "b", "a"])),
    ]
    for rejection in rejections {
      #expect("\(rejection)".first?.isUppercase == true)
      #expect("\(rejection)".hasSuffix("."))
    }
    #expect("\(rejections[4])".contains("a → b → a"))
  }
}
