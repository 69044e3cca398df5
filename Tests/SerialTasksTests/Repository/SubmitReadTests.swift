import SerialTasks
import Testing

/// Reads that synchronous code submits.
@Suite(.watched) struct SubmitReadTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let gate = Gate()
  let log = Log<String>()

  /// Fails if: the place is taken later than in the call, or the operation starts inside it.
  @Test func itsPlaceIsTakenInTheCall() async throws {
    let (value, gate) = (Log<Int>(), Gate())
    let before = executor.submitWrite {
      await gate.pass()
      value(1)
    }
    let read = executor.submitRead("a") { [log] in
      log("read")
      return value.entries.count
    }
    log("submitted")
    let after = executor.submitWrite { value(2) }
    gate.open()
    #expect(try await read.value == 1)
    _ = (try await before.value, try await after.value)
    #expect(log.entries == ["submitted", "read"])
  }

  /// Fails if: a submitted read is not one with an equal read, or does not deliver its result to both.
  @Test func itIsOneWithAnEqualRead() async throws {
    let first = executor.submitRead("a") { [gate, log] in
      log("first")
      await gate.pass()
      return 1
    }
    let second = executor.submitRead("a") { [log] in
      log("second")
      return 2
    }
    let outcomes = Log<Int>()
    second.whenComplete { outcomes((try? $0.get()) ?? 0) }
    gate.open()
    #expect(try await (first.value, second.value) == (1, 1))
    try await executor.drain()
    #expect(log.entries == ["first"])
    #expect(outcomes.entries == [1])
  }

  /// Fails if: cancelling one handle cancels the read of another, or the last one does not.
  @Test func cancellingTheHandleLeaves() async throws {
    let (began, ended) = (Gate(), Log<Bool>())
    let reads = (1...2).map { _ in
      executor.submitRead("a") { [gate] in
        began.open()
        await gate.pass()
        ended(Task.isCancelled)
      }
    }
    await began.pass()
    reads[0].cancel()
    await #expect(throws: CancellationError.self) { try await reads[0].value }
    #expect(reads[0].isCancelled && !reads[1].isCancelled)
    reads[1].cancel()
    await #expect(throws: CancellationError.self) { try await reads[1].value }
    gate.open()
    try await executor.drain()
    #expect(ended.entries == [true])
  }

  /// Fails if: a rejected read is settled later than in the call, or with another error.
  @Test func aRejectedReadIsSettledAtOnce() async {
    executor.close()
    let read = executor.submitRead("a", rejectedAs: { Refused(why: $0) }) { () async throws(Refused) in 1 }
    let outcomes = Log<JobRejection>()
    read.whenComplete { if case .failure(let error) = $0 { outcomes(error.why) } }
    #expect(outcomes.entries == [.closed])
  }

  private struct Refused: Error { let why: JobRejection }

  /// Fails if: a job waits for a read that waits for that very job.
  @Test func awaitedInAWriteOfItsKeyItIsADeadlock() async throws {
    try await executor.write(touching: ["a"]) { [executor] in
      let read = executor.submitRead("a") { 1 }
      do {
        _ = try await read.value
        Issue.record("a job waited for a read that waits for it")
      } catch JobRejection.deadlock(let deadlock) {
        #expect(deadlock.path.first == deadlock.path.last)
        #expect(deadlock.path.contains("notes[a]"))
      }
    }
    try await executor.drain()
  }
}
