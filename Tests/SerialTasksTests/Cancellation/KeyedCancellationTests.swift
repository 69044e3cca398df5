import SerialTasks
import Testing

/// Guarantees, *Cancelled before the call* to *Cancelled while running* of `KeyedSerialTaskExecutor`: at each moment, and
/// what is left of the key afterwards.
@Suite(.watched) struct KeyedCancellationTests {
  let executor = KeyedSerialTaskExecutor<String>()
  let log = Log<String>()

  /// Fails if: a caller that leaves keeps its key, or those behind it do not move up.
  @Test func waiting() async throws {
    let held = await HeldKey(executor, "ann")
    let first = SerialTasksTests.waiting(executor, "ann") { [log] in log("first") }
    let second = executor.submit(for: "ann") { [log] in log("second") }
    let third = SerialTasksTests.waiting(executor, "ann") { [log] in log("third") }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    second.cancel()
    #expect(executor.snapshot(for: "ann").waiting == 1)
    await #expect(throws: CancellationError.self) { try await second.value }
    try await held.release()
    try await third.value
    try await executor.drain()
    #expect(log.entries == ["third"])
    #expect(executor.size.busy == 0)
  }

  /// The job's task has been made or resumed, and has not run a step.
  ///
  /// Fails if: the line goes to another key while the cancellation of its job is still being reported. (Then, in some
  /// rounds, a line in the table is idle for ever or two keys share it.)
  @Test func granted() async throws {
    for round in 0..<2_000 {
      let key = "\(round % 3)"
      let job = executor.submit(for: key) { [log] in log("ran \(round)") }
      async let other = executor.enqueue(for: "\(round % 2)") { 1 }
      job.cancel()
      if case .failure(let error) = await job.result {
        #expect(error is CancellationError)
        #expect(log.entries.last != "ran \(round)")
      }
      #expect(try await other == 1)
    }
    try await executor.drain()
    #expect(executor.size.busy == 0)
  }

  @Test func running() async throws {
    let gate = Gate()
    let job: @Sendable () async -> Bool = {
      await gate.pass()
      return Task.isCancelled
    }
    let submitted = executor.submit(for: "ann", job)
    let call = SerialTasksTests.waiting(executor, "bob", job)
    await gate.arrived(2)
    submitted.cancel()
    call.cancel()
    gate.open()
    #expect(try await submitted.value)
    #expect(try await call.value)
  }

  /// Fails if: a caller of `drain` cannot leave, or takes another with it.
  @Test func drain() async throws {
    let held = await HeldKey(executor, "ann")
    let leaver = Task.immediate { [executor] in try await executor.drain() }
    let stayer = Task.immediate { [executor] in try await executor.drain() }
    let one = Task.immediate { [executor] in try await executor.drain(for: "ann") }
    leaver.cancel()
    one.cancel()
    await #expect(throws: CancellationError.self) { try await leaver.value }
    await #expect(throws: CancellationError.self) { try await one.value }
    try await held.release()
    try await stayer.value
    #expect(executor.size.busy == 0)
  }

  /// Few keys that are busy for a moment, on real threads.
  ///
  /// Each arrival races the last user of its key, which is about to give the line away. A tenth of the callers are
  /// cancelled at some moment.
  ///
  /// Fails if: a line goes to another key while a caller is about to arrive at it, or (under ThreadSanitizer) a task that
  /// awaits a job asks its line for its name when the line may be about to go.
  @Test func arrivingAgainstGoing() async throws {
    let keys = KeyedSerialTaskExecutor<Int>(capacityPerKey: 1_000)
    let exclusions = (0..<4).map { _ in Exclusion() }
    await withTaskGroup { group in
      for producer in 0..<4 {
        group.addTask {
          for round in 0..<Effort.upTo(5_000) {
            let key = (round + producer) % 4
            let job: @Sendable () -> Void = {
              exclusions[key].enter()
              exclusions[key].leave()
            }
            let call = Task { try await keys.enqueue(for: key, job) }
            let submitted = keys.submit(for: key, job)
            if round.isMultiple(of: 10) { call.cancel() }
            if round.isMultiple(of: 7) { submitted.cancel() }
            _ = await (call.result, submitted.result)
          }
        }
      }
    }
    try await keys.drain()
    #expect(exclusions.allSatisfy { $0.most == 1 })
    #expect(keys.size.busy == 0)
  }
}
