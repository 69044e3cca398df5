import SerialTasksTesting
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// Several parts that are shut down in one call.
@Suite(.watched) struct LogOutTests {
  private let log = Log<String>()

  /// A job that runs, in its caller's task, and does this when it is cancelled: first while it is, then as the job.
  private func running(
    in executor: SerialTaskExecutor, whileCancelled: @escaping @Sendable () -> Void = {},
    onCancel: @escaping @Sendable () async -> Void = {}
  ) async -> Task<Void, any Error> {
    let (began, cancelled) = (Gate(), Gate())
    let job = Task.immediate {
      try await executor.enqueue {
        await withTaskCancellationHandler {
          await began.pass()
          await cancelled.pass()
        } onCancel: {
          whileCancelled()
          cancelled.open()
        }
        await onCancel()
      }
    }
    await began.waitForArrivals()
    began.open()
    return job
  }

  /// ```
  ///   first:  a job runs, is cancelled, and asks second       second:  free
  /// ```
  /// Fails if: the first is cancelled before the second is closed, which then accepts what the first asks for.
  @Test(arguments: [false, true]) func allAreClosedBeforeOneIsCancelled(hasTime: Bool) async throws {
    let clock = ManualClock()
    let (first, second) = (SerialTaskExecutor(clock: clock), SerialTaskExecutor(clock: clock))
    let asked = Log<SubmittedJob<Void>>()
    let job = await running(in: first, whileCancelled: { asked(second.submit {}) })
    let parts: [any Drainable] = [first, second]
    let end = Task.immediate { await parts.shutDown(within: hasTime ? .seconds(1) : .zero) }
    if hasTime {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    #expect(await !end.value)
    _ = await job.result
    #expect(asked.entries.count == 1)
    await #expect(throws: JobRejection.closed) { try await asked.entries[0].value }
  }

  /// Fails if: a part of any type is still open when one before it is cancelled.
  @Test func partsOfEveryTypeAreClosedBeforeOneIsCancelled() async throws {
    let (first, areClosed) = (SerialTaskExecutor(), Log<[Bool]>())
    let (keys, notes) = (KeyedSerialTaskExecutor<Int>(), CoalescingTaskExecutor<Int>())
    let images = TaskCoalescer<Int, Int>()
    let token = RenewingValue { _ in Renewed(1, validFor: .seconds(1)) }
    let reloader = Reloader<Always, Int>(load: { _ in 1 }, apply: { _ in })
    let job = await running(
      in: first,
      whileCancelled: {
        areClosed([
          keys.snapshot.isClosed, notes.snapshot.isClosed, images.snapshot.isClosed, token.snapshot.isClosed,
          reloader.snapshot.isClosed,
        ])
      })
    let parts: [any Drainable] = [first, keys, notes, images, token, reloader]
    #expect(await !parts.shutDown(within: .zero))
    _ = await job.result
    #expect(areClosed.entries == [[true, true, true, true, true]])
  }

  /// Fails if: what waits in a part that comes later begins when one before it has been ended.
  @Test func nothingBeginsInAnyPart() async throws {
    let (line, gate) = (SerialTaskExecutor(), Gate())
    let notes = CoalescingTaskExecutor<Int>()
    let draft = notes.submitWrite(latest: 1, touching: [1], after: .seconds(3_600)) { [log] in log("draft") }
    let held = Task.immediate { try await line.enqueue { await gate.pass() } }
    await gate.waitForArrivals()
    let waiting = line.submit { [log] in log("waiting") }
    let reloader = Reloader<Always, Int>(
      load: { [log] _ in
        log("loaded"); return 1
      }, apply: { [log] _ in log("applied") })
    reloader.close()
    // The job of the first part goes on only when the last one is closed.
    let parts: [any Drainable] = [line, Foreign(log: log) { gate.open() }, notes, reloader]
    #expect(await !parts.shutDown(within: .zero))
    _ = await held.result
    await #expect(throws: JobRejection.withdrawn) { try await draft.value }
    await #expect(throws: JobRejection.withdrawn) { try await waiting.value }
    #expect(log.entries == ["closed", "cancelled", "shut down"])
  }

  private enum Always: ReloadReason {
    case now
    var policy: SharingPolicy { .join }
  }

  /// A type of somebody else.
  private struct Foreign: Drainable {
    let log: Log<String>
    var isInTime = true
    var onEnd: @Sendable () async -> Void = {}
    let onClose: @Sendable () -> Void
    func close() {
      log("closed")
      onClose()
    }
    func cancelAll() { log("cancelled") }
    nonisolated(nonsending) func drain() async throws {}
    nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
      log("shut down")
      await onEnd()
      return isInTime
    }
  }

  /// Fails if: parts of other types end one after the other. (Then this hangs.)
  @Test(arguments: [Duration.zero, .seconds(1)]) func partsOfOtherTypesEndAtTheSameTime(limit: Duration) async {
    let gate = Gate()
    let parts: [any Drainable] = [
      Foreign(log: log, onEnd: { await gate.pass() }) {}, Foreign(log: log, onEnd: { gate.open() }) {},
    ]
    #expect(await parts.shutDown(within: limit))
  }

  /// Fails if: what was accepted is not given the time, a draft is not written, or a part that was late passes for one in time.
  @Test func whatWasAcceptedEndsInTime() async throws {
    let (line, notes, gate) = (SerialTaskExecutor(), CoalescingTaskExecutor<Int>(), Gate())
    let first = line.submit { await gate.pass() }
    let second = line.submit { 2 }
    let draft = notes.submitWrite(latest: 1, touching: [1], after: .seconds(3_600)) { 3 }
    let parts: [any Drainable] = [line, notes]
    let end = Task.immediate { await parts.shutDown(within: .seconds(3_600)) }
    gate.open()
    #expect(await end.value)
    try await first.value
    #expect(try await second.value == 2)
    #expect(try await draft.value == 3)
    #expect(await parts.shutDown(within: .zero))
    #expect(await [any Drainable]().shutDown(within: .zero))
    let late: [any Drainable] = [line, Foreign(log: log, isInTime: false) {}, notes]
    for limit in [Duration.zero, .seconds(1)] { #expect(await !late.shutDown(within: limit)) }
  }

  /// An operation that was cancelled before the call, and goes on beyond its limit, has not ended in time.
  ///
  /// Fails if: only what is interrupted since the call began counts.
  @Test func whatWasCancelledBeforeOutlastsTheLimit() async throws {
    let (pages, gate) = (TaskCoalescer<Int, Int>(), Gate())
    let caller = Task.immediate {
      try await pages.value(for: 1) {
        await gate.pass()
        return 1
      }
    }
    await gate.waitForArrivals()
    pages.cancelAll()
    _ = await caller.result
    let end = Task.immediate { await pages.shutDown(within: .zero) }
    gate.open()
    #expect(await !end.value)
  }

  /// Fails if: a log-out that has time takes a call for one that ended by itself, which another log-out has cancelled.
  @Test func whatAnotherLogOutCancels() async throws {
    let line = SerialTaskExecutor()
    let job = await running(in: line)
    let end = Task.immediate { await line.shutDown(within: .seconds(3_600)) }
    #expect(await !line.shutDown(within: .zero))
    try await job.value
    #expect(await !end.value)
  }

  /// Fails if: parts of one type do not end together, or what they ended is not said.
  @Test func partsOfOneType() async throws {
    let (lines, gate) = ([SerialTaskExecutor(), SerialTaskExecutor()], Gate())
    let jobs = lines.map { $0.submit { await gate.pass() } }
    await gate.waitForArrivals(2)
    let end = Task.immediate { await lines.shutDown(within: .seconds(3_600)) }
    #expect(lines.allSatisfy { $0.snapshot.isClosed })
    gate.open()
    #expect(await end.value)
    for job in jobs { try await job.value }
    let others = [KeyedSerialTaskExecutor<Int>(), KeyedSerialTaskExecutor<Int>()]
    others[1].pause()
    others[1].submit(for: 1) {}
    #expect(await !others.shutDown(within: .zero))
  }

  /// Fails if: a log-out in a cancelled task does not end what runs, or returns before it has ended in each part.
  @Test func inACancelledTask() async throws {
    let (first, second, isOver) = (SerialTaskExecutor(), SerialTaskExecutor(), Gate())
    let ended = await running(in: first)
    let ending = await running(
      in: second,
      onCancel: { [log] in
        await isOver.pass()
        // Time for a log-out that waits for the first part alone.
        for _ in 1...100 { await Task.yield() }
        log("ended")
      })
    let parts: [any Drainable] = [first, second]
    let end = Task.immediate { [log] in
      withUnsafeCurrentTask { $0?.cancel() }
      await parts.shutDown(within: .seconds(3_600))
      log("logged out")
    }
    await isOver.waitForArrivals()
    _ = await ended.result
    isOver.open()
    await end.value
    _ = await ending.result
    #expect(log.entries == ["ended", "logged out"])
  }
}
