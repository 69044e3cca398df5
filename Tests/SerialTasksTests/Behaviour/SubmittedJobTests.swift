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

  /// The line that the documentation of `value` shows.
  ///
  /// Fails if: a task that is cancelled while it awaits a job does not cancel the job, which waits or runs.
  @Test(arguments: [false, true]) func whoIsCancelledCancelsTheJob(runs: Bool) async throws {
    let (line, gate, ran) = (SerialTaskExecutor(), Gate(), Log<Bool>())
    if !runs { line.pause() }
    let job = line.submit {
      await gate.pass()
      ran(Task.isCancelled)
    }
    let waiter = Task.immediate {
      try await withTaskCancellationHandler {
        try await job.value
      } onCancel: {
        job.cancel()
      }
    }
    if runs { await gate.waitForArrivals() }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(job.isCancelled)
    gate.open()
    line.resume()
    try await line.drain()
    #expect(ran.entries == (runs ? [true] : []))
  }

  /// Fails if: a job that a cancellation, or a withdrawal, lets go on begins before the handlers of the job that was in its way are called.
  @Test(arguments: [false, true]) func handlersAreCalledBeforeTheNextBegins(isWithdrawn: Bool) async throws {
    let (keyed, log) = (KeyedSerialTaskExecutor<String>(name: "keys"), Log<String>())
    let held = await Held(keyed, "a")
    let both = keyed.submit(touching: ["a", "b"]) {}
    both.whenComplete { _ in log("rejected") }
    let next = Task(executorPreference: InPlace()) { try await keyed.enqueue(for: "b") { log("next") } }
    try await keyed.waitUntil(waiting: 2)
    if isWithdrawn { keyed.cancelAll(for: "a") } else { both.cancel() }
    #expect(log.entries == ["rejected", "next"])
    try await held.release()
    try await next.value
  }

  /// Fails if: a drain, or a wait for a pause, that begins while the handler of a cancelled job is called does not wait for that; or no
  /// trace of the key is left meanwhile for a drain of that key.
  @Test(arguments: [false, true]) func aDrainThatBeginsInAHandler(pauses: Bool) async throws {
    let keyed = KeyedSerialTaskExecutor<String>()
    let (log, drains) = (Log<String>(), Log<Task<Void, any Error>>())
    keyed.pause()
    let job = keyed.submit(for: "a") {}
    job.whenComplete { _ in
      drains(
        Task.immediate {
          if pauses { try await keyed.pauseAndWait() } else { try await keyed.drain() }
          log("drained")
        })
      log("handler, \(keyed.line.size.busy)")
    }
    job.cancel()
    try await drains.entries[0].value
    #expect(log.entries == ["handler, 1", "drained"] && keyed.line.size.busy == 0)
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
}
