import SerialTasks
import Testing

/// The handle of a submitted job.
@Suite(.watched) struct SubmittedJobTests {
  /// The job is settled when the task has stopped waiting, and has not gone on yet.
  ///
  /// Fails if: who has stopped waiting stays among those who wait, and gets the result after all.
  @Test func whoHasStoppedWaitingGetsNoResult() async throws {
    let held = await Held()
    let thread = OneThread()
    let job = held.executor.submit { 7 }
    let waiter = thread.start { _ = try await job.value }
    try await thread.allHaveParked()
    // On the one thread, so that the waiter goes on after both.
    try await thread.start {
      waiter.cancel()
      held.executor.cancelAll()
    }.value
    await #expect(throws: CancellationError.self) { try await waiter.value }
    await #expect(throws: JobRejection.withdrawn) { try await job.value }
    try await held.release()
  }

  /// A handler is called with no lock held.
  ///
  /// Fails if: handlers or events are called under the lock of the line or of the job.
  @Test func handlersAndEventsMayCallTheExecutor() async throws {
    let log = Log<Int>()
    let box = Log<SerialTaskExecutor>()
    let executor = SerialTaskExecutor { _ in
      for executor in box.entries { log(executor.snapshot.waiting) }
    }
    box(executor)
    let job = executor.submit { 1 }
    job.whenComplete { result in
      executor.submit { log(100 + (try! result.get())) }
      job.whenComplete { _ in log(200) }
    }
    executor.pause()
    let cancelled = executor.submit { 2 }
    cancelled.whenComplete { _ in log(executor.snapshot.waiting) }
    cancelled.cancel()
    executor.resume()
    try await executor.drain()
    // The handlers have been called by now: what they submitted was not there when the first call came.
    try await executor.drain()
    #expect(log.entries.contains(101))
    #expect(log.entries.contains(200))
  }

  /// Fails if: a job that a cancellation, or a withdrawal, lets go on begins before the handlers of the job that was in its way are called.
  @Test(arguments: [false, true]) func handlersAreCalledBeforeTheNextBegins(isWithdrawn: Bool) async throws {
    let (keyed, log) = (KeyedSerialTaskExecutor<String>(name: "keys"), Log<String>())
    let held = await Held(keyed, "a")
    let both = keyed.submit(forAll: ["a", "b"]) {}
    both.whenComplete { _ in log("rejected") }
    let next = Task(executorPreference: InPlace()) { try await keyed.enqueue(for: "b") { log("next") } }
    try await keyed.waits(for: 2)
    if isWithdrawn { keyed.cancelAll(for: "a") } else { both.cancel() }
    #expect(log.entries == ["rejected", "next"])
    try await held.release()
    try await next.value
  }

  /// Fails if: a drain that begins while the handler of a cancelled job is called does not wait for that; or no trace of the key is left
  /// meanwhile for a drain of that key.
  @Test func aDrainThatBeginsInAHandler() async throws {
    let keyed = KeyedSerialTaskExecutor<String>()
    let (log, drains) = (Log<String>(), Log<Task<Void, any Error>>())
    keyed.pause()
    let job = keyed.submit(for: "a") {}
    job.whenComplete { _ in
      drains(
        Task.immediate {
          try await keyed.drain()
          log("drained")
        })
      log("handler, \(keyed.size.busy)")
    }
    job.cancel()
    try await drains.entries[0].value
    #expect(log.entries == ["handler, 1", "drained"] && keyed.size.busy == 0)
  }

  /// Fails if: the handle of a job that was rejected when it came takes a job out of the line.
  @Test func aRejectedJobIsCancelled() async throws {
    let held = await Held()
    held.executor.close()
    let job = held.executor.submit {}
    job.cancel()
    await #expect(throws: JobRejection.closed) { try await job.value }
    #expect(held.executor.snapshot.waiting == 0 && held.executor.snapshot.running == 1)
    try await held.release()
  }

  /// Fails if: a snapshot does not name the job that runs, or names one of several.
  @Test func theNameOfTheJobThatRuns() async throws {
    let (keyed, gate) = (KeyedSerialTaskExecutor<String>(), Gate())
    let first = keyed.submit(for: "a", name: "first") { await gate.pass() }
    #expect(keyed.snapshot.runningJob == "first")
    let second = keyed.submit(for: "b", name: "second") { await gate.pass() }
    #expect(keyed.snapshot.runningJob == nil && keyed.snapshot.running == 2)
    gate.open()
    try await first.value
    try await second.value
  }

  /// What a job captured is released when it has ended, though its handle is kept.
  @Test func aKeptHandleDoesNotKeepTheJob() async throws {
    final class Captured: Sendable {}
    let executor = SerialTaskExecutor()
    weak var captured: Captured?
    var job: SubmittedJob<Void>?
    do {
      let object = Captured()
      captured = object
      job = executor.submit { _ = object }
    }
    try await job?.value
    try await executor.drain()
    // The task lets go of its closure just after it has ended the turn.
    try await until { captured == nil }
    job = nil
  }
}
