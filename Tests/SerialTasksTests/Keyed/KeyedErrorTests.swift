import SerialTasks
import Testing

private enum BankError: Error, Equatable {
  case unavailable(JobRejection)
  case overdrawn(Int)
}

private final class Failure: Error, Sendable {}

/// Guarantees, *Failure* and *Cancelled before the call* of `KeyedSerialTaskExecutor`, and the capacity of each key.
@Suite(.watched) struct KeyedErrorTests {
  /// The compiler checks here that nothing but `BankError` can be thrown.
  ///
  /// Fails if: a rejection is not mapped, or the job's own error is.
  @Test func typedErrorsStayTyped() async {
    let executor = KeyedSerialTaskExecutor<Int>()
    func withdraw(_ amount: Int) async throws(BankError) -> Int {
      try await executor.enqueue(for: 1, rejectedAs: BankError.unavailable) { () async throws(BankError) in
        if amount > 9 { throw BankError.overdrawn(amount) }
        return amount
      }
    }
    await #expect(throws: BankError.overdrawn(10)) { try await withdraw(10) }
    let job = executor.submit(for: 1, rejectedAs: BankError.unavailable) { () async throws(BankError) -> Int in
      throw BankError.overdrawn(3)
    }
    #expect(await job.result == .failure(.overdrawn(3)))
    executor.close()
    await #expect(throws: BankError.unavailable(.closed)) { try await withdraw(1) }
    let late = executor.submit(for: 2, rejectedAs: BankError.unavailable) { () async throws(BankError) -> Int in 1 }
    #expect(await late.result == .failure(.unavailable(.closed)))
  }

  /// Fails if: an error is wrapped or copied, or the key is not released when a job throws.
  @Test func aJobsErrorComesBackAsItIs() async throws {
    let executor = KeyedSerialTaskExecutor<Int>()
    let failure = Failure()
    let thrown = await #expect(throws: Failure.self) { try await executor.enqueue(for: 1) { throw failure } }
    #expect(thrown === failure)
    let submitted = await #expect(throws: Failure.self) {
      try await executor.submit(for: 1) { () async throws -> Int in throw failure }.value
    }
    #expect(submitted === failure)
    try await executor.drain()
    #expect(executor.size.busy == 0)
  }

  /// Fails if: the capacity is off by one, counts the running job, or is shared by the keys.
  @Test(arguments: [1, 2, 5]) func capacityIsTheMostThatMayWaitForOneKey(capacity: Int) async throws {
    let executor = KeyedSerialTaskExecutor<String>(capacityPerKey: capacity)
    let (ann, bob) = (await HeldKey(executor, "ann"), await HeldKey(executor, "bob"))
    let accepted = (0..<capacity).map { index in executor.submit(for: "ann") { index } }
    await #expect(throws: JobRejection.full(capacity: capacity)) {
      try await executor.submit(for: "ann") { -1 }.value
    }
    await #expect(throws: JobRejection.full(capacity: capacity)) { try await executor.enqueue(for: "ann") { -1 } }
    let other = executor.submit(for: "bob") { 100 }
    #expect(executor.snapshot.waiting == capacity + 1)
    #expect(executor.snapshot.capacityPerKey == capacity)
    #expect(executor.snapshot(for: "cid").capacity == capacity)
    try await ann.release()
    try await bob.release()
    #expect(try await other.value == 100)
    for (index, job) in accepted.enumerated() { #expect(try await job.value == index) }
  }

  /// Fails if: a rejected job keeps its key busy. (Then `drain` hangs.)
  @Test func aRejectedCallerLeavesNothingBehind() async throws {
    let executor = KeyedSerialTaskExecutor<Int>()
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await executor.enqueue(for: 1) {}
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.enqueue(for: 2) {} }
    await #expect(throws: JobRejection.closed) { try await executor.submit(for: 3) {}.value }
    #expect(executor.size.busy == 0)
    try await executor.drain()
  }
}
