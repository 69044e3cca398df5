import SerialTasks
import Testing

/// The handle of a submitted job.
@Suite(.watched) struct SubmittedJobTests {
  @Test func manyMayWaitForOneJob() async throws {
    let held = await Held()
    let job = held.executor.submit { 7 }
    let waiters = (0..<10).map { _ in Task.immediate { try await job.value } }
    try await held.release()
    for waiter in waiters { #expect(try await waiter.value == 7) }
    #expect(try await job.value == 7)
    #expect(job.name == nil)
  }

  /// Fails if: waiting for a job cannot be left, or leaving it cancels the job.
  @Test func whoStopsWaitingLeavesTheJobAlone() async throws {
    let held = await Held()
    let job = held.executor.submit { 7 }
    let waiter = Task.immediate { try await job.value }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(!job.isCancelled)
    try await held.release()
    #expect(try await job.value == 7)
  }

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

  @Test func aResultThatIsThereIsReturnedToACancelledTaskToo() async throws {
    let executor = SerialTaskExecutor()
    let job = executor.submit { 7 }
    _ = try await job.value
    let gate = Gate()
    let late = Task {
      await gate.pass()
      return try await job.value
    }
    late.cancel()
    gate.open()
    #expect(try await late.value == 7)
  }

  /// Before and after the job has ended, each handler is called once; those before it are called inside its turn.
  ///
  /// Fails if: handlers are called after the turn was handed on.
  @Test func handlersAreCalledOnceInTheJobsTurn() async throws {
    let executor = SerialTaskExecutor()
    let log = Log<String>()
    let gate = Gate()
    let job = executor.submit {
      await gate.pass()
      log("first")
    }
    job.whenComplete { _ in log("first's handler") }
    job.whenComplete { _ in log("first's other handler") }
    executor.submit { log("second") }
    gate.open()
    try await executor.drain()
    job.whenComplete { _ in log("late handler") }
    #expect(log.entries == ["first", "first's handler", "first's other handler", "second", "late handler"])
  }

  /// What goes on with the result finds the event of the job's end.
  ///
  /// Fails if: a job is settled before its end is reported.
  @Test(arguments: [false, true]) func itsEndIsReportedBeforeItsResult(isDetached: Bool) async throws {
    for executor in 0..<3 {
      let (events, gate, found) = (EventLog(), Gate(), Log<[String]>())
      let job = { @Sendable () async throws in await gate.pass() }
      let line = SerialTaskExecutor(name: "line", onEvent: events.handler)
      let keyed = KeyedSerialTaskExecutor<Int>(name: "line", onEvent: events.handler)
      let notes = CoalescingTaskExecutor<Int>(name: "line", onEvent: events.handler)
      let submitted =
        switch executor {
        case 0: isDetached ? line.submitDetached(job) : line.submit(job)
        case 1: isDetached ? keyed.submitDetached(for: 1, job) : keyed.submit(for: 1, job)
        default: isDetached ? notes.submitWriteDetached(job) : notes.submitWrite(job)
        }
      await gate.arrived()
      submitted.whenComplete { _ in found(events.entries.map { "\($0.kind)" }) }
      gate.open()
      try await submitted.value
      #expect(found.entries == [["began", "finished"]])
    }
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
    #expect(log.entries.contains(101))
    #expect(log.entries.contains(200))
  }

  /// A job runs though no task keeps its handle or its executor, and its error is reported.
  ///
  /// Fails if: a waiting job does not keep the line alive.
  @Test func nothingIsLostWhenEverythingIsReleased() async {
    let gate = Gate()
    let done = Gate()
    let log = Log<String>()
    do {
      let executor = SerialTaskExecutor(name: "short-lived") { event in
        if case .failed = event.kind {
          log("\(event)")
          done.open()
        }
      }
      executor.submit { await gate.pass() }
      executor.submit(name: "ship") { throw CancellationError() }
    }
    gate.open()
    await done.pass()
    #expect(log.entries == ["short-lived: ship failed: CancellationError()"])
  }

  /// What a job captured is released when it has ended, though its handle is kept.
  @Test func aKeptHandleDoesNotKeepTheJob() async throws {
    final class Captured: Sendable {}
    let executor = SerialTaskExecutor()
    weak var captured: Captured?
    var job: SubmittedJob<Void, any Error>?
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
