import SerialTasks
import Testing

private final class Trouble: Error {}

private enum NotesError: Error, Equatable {
  case unavailable(JobRejection, caller: Int)
  case missing(call: Int)
}

/// Guarantees, *Failure* of `CoalescingTaskExecutor`: reads and writes.
@Suite(.watched) struct ReadErrorTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()

  /// The compiler checks here that nothing but `NotesError` can be thrown.
  private nonisolated(nonsending) func fetch(_ caller: Int) async throws(NotesError) -> Int {
    try await executor.read("a", rejectedAs: { why in NotesError.unavailable(why, caller: caller) }) {
      [backend] () async throws(NotesError) in throw NotesError.missing(call: await backend.fetch())
    }
  }

  private func fetching(_ caller: Int) -> Task<Result<Int, NotesError>, Never> {
    Task.immediate {
      do throws(NotesError) { return .success(try await fetch(caller)) } catch { return .failure(error) }
    }
  }

  /// Fails if: an error is mapped by anybody, or reaches only the leader.
  @Test func everyCallerGetsTheErrorAsItIs() async throws {
    let calls = (0..<4).map { fetching($0) }
    backend.gate.open()
    for call in calls { #expect(await call.value == .failure(.missing(call: 1))) }
    let trouble = Trouble()
    let (gate, untyped) = (Gate(), Log<Task<Int, any Error>>())
    for _ in 0..<3 {
      untyped(
        reading(executor, "b") {
          await gate.pass()
          throw trouble
        })
    }
    gate.open()
    for call in untyped.entries {
      let error = await #expect(throws: Trouble.self) { try await call.value }
      #expect(error === trouble)
    }
  }

  /// Fails if: a rejection is mapped by the leader for all, or not mapped.
  @Test func everyCallerMapsItsOwnRejection() async throws {
    let held = await HeldJob.writing(executor)
    let calls = (0..<3).map { fetching($0) }
    calls[0].cancel()
    #expect(await calls[0].value == .failure(.unavailable(.cancelled, caller: 0)))
    executor.cancelAll()
    #expect(await calls[1].value == .failure(.unavailable(.withdrawn, caller: 1)))
    #expect(await calls[2].value == .failure(.unavailable(.withdrawn, caller: 2)))
    executor.close()
    #expect(await fetching(3).value == .failure(.unavailable(.closed, caller: 3)))
    try await held.release()
    #expect(backend.calls == 0)
  }

  /// Fails if: a failure sticks to its key, or keeps the turn.
  @Test func theNextReadTriesAgain() async throws {
    backend.gate.open()
    for call in 1...3 {
      await #expect(throws: BackendError(call: call)) { try await executor.read("a") { try await backend.fail() } }
    }
    #expect(try await executor.write { 4 } == 4)
  }

  /// Fails if: an error of a write is wrapped or keeps the turn.
  @Test func aWritesErrorComesBackAsItIs() async throws {
    let trouble = Trouble()
    let thrown = await #expect(throws: Trouble.self) { try await executor.write { throw trouble } }
    #expect(thrown === trouble)
    do throws(NotesError) {
      try await executor.write(rejectedAs: { NotesError.unavailable($0, caller: 1) }) { () async throws(NotesError) in
        throw NotesError.missing(call: 7)
      }
    } catch { #expect(error == .missing(call: 7)) }
    let submitted = executor.submitWrite(rejectedAs: { NotesError.unavailable($0, caller: 1) }) {
      () async throws(NotesError) -> Int in throw NotesError.missing(call: 8)
    }
    #expect(await submitted.result == .failure(.missing(call: 8)))
    executor.close()
    await #expect(throws: NotesError.unavailable(.closed, caller: 2)) {
      try await executor.write(rejectedAs: { NotesError.unavailable($0, caller: 2) }) { () async throws(NotesError) in }
    }
  }

  /// An operation may throw `CancellationError` without anybody having been cancelled: an error like any other.
  @Test func anOperationsOwnCancellationError() async throws {
    let reads = (0..<2).map { _ in
      reading(executor, "a") {
        _ = await backend.fetch()
        throw CancellationError()
      }
    }
    backend.gate.open()
    for read in reads { await #expect(throws: CancellationError.self) { try await read.value } }
    #expect(try await executor.read("a") { backend.call() } == 2)
  }
}
