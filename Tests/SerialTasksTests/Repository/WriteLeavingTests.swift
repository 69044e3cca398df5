import SerialTasks
import Testing

/// Guarantees, *Cancelled before the call* to *Cancelled while running* of `CoalescingTaskExecutor`: a write between
/// reads that is cancelled or withdrawn.
@Suite(.watched) struct WriteLeavingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let log = Log<String>()

  /// Fails if: a cancelled write runs, or its leaving is not noticed by what stands behind it.
  @Test(arguments: [false, true]) func waiting(isSubmitted: Bool) async throws {
    let held = await HeldJob.writing(executor)
    let before = reading(executor, "a") { [log] in log("before") }
    if isSubmitted {
      let job = executor.submitWrite { [log] in log("write") }
      job.cancel()
      await #expect(throws: CancellationError.self) { try await job.value }
    } else {
      let call = writing(executor) { [log] in log("write") }
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }
    let behind = writing(executor) { [log] in log("behind") }
    try await held.release()
    try await before.value
    try await behind.value
    #expect(log.entries == ["before", "behind"])
  }

  /// The write between reads leaves while the line is paused: the reads run together when it goes on.
  ///
  /// Fails if: the reads become neighbours only where the turn is handed on, or begin during a pause.
  @Test func leavingBetweenTwoBatchesOfAPausedLine() async throws {
    let held = await HeldJob.reading(executor, "held")
    executor.pause()
    let before = reading(executor, "a") { [log] in log("before") }
    let write = executor.submitWrite {}
    let behind = reading(executor, "b") { [log] in log("behind") }
    write.cancel()
    #expect(executor.counts == [2, 1] && log.entries.isEmpty)
    executor.resume()
    try await before.value
    try await behind.value
    try await held.release()
  }

  /// Fails if: a running write that was submitted cannot be cancelled, or a caller's own can by `cancelAll`.
  @Test func running() async throws {
    let gate = Gate()
    let job = executor.submitWrite {
      await gate.pass()
      return Task.isCancelled
    }
    let reader = reading(executor, "a") {}
    await gate.arrived()
    job.cancel()
    gate.open()
    #expect(try await job.value)
    try await reader.value
    let second = Gate()
    let call = writing(executor) {
      await second.pass()
      return Task.isCancelled
    }
    executor.cancelAll()
    second.open()
    #expect(try await !call.value)
  }
}
