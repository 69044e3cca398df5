import CoalescingTasks
import Dispatch
import Testing

/// The handle of a submitted read keeps what the handles of other submitted jobs keep.
@Suite(.watched) struct SubmitReadHandleTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let gate = Gate()
  let log = Log<String>()

  /// Fails if: a task that awaits the handle of a read that another caller leads raises nothing.
  @Test func aTaskThatAwaitsAJoinedReadRaisesIt() async throws {
    let held = await Held(writing: executor)
    executor.submitRead("a", priority: .background) { await raised() }
    let joined = executor.submitRead("a", priority: .background) { TaskPriority.low }
    let urgent = Task.immediate(priority: .high) { try await joined.value }
    try await held.release()
    #expect(try await urgent.value >= .high)
  }

  /// A handler that holds up its thread holds up the next job, `drain()` and nothing else.
  ///
  /// Fails if: `drain()` returns before a handler has.
  @Test func drainWaitsForHandlers() async throws {
    let (thread, drained) = (OneThread(), Gate())
    let read = executor.submitRead("a") { [gate] in await gate.pass() }
    read.whenComplete { [log, executor] _ in
      log(drained.isOpen || executor.snapshot.running == 0 ? "too late" : "in its turn")
    }
    let drain = thread.start { [executor] in
      try await executor.drain()
      drained.open()
    }
    try await thread.allHaveParked()
    gate.open()
    try await drain.value
    #expect(log.entries == ["in its turn"])
  }

  /// Fails if: `drain()` takes a handle that leaves for the end of the read.
  @Test func drainWaitsForAReadThatAHandleLeaves() async throws {
    executor.submitRead("a") { [gate, log] in
      await gate.pass()
      log("read")
    }
    let left = executor.submitRead("a") {}
    await gate.waitForArrivals()
    let drain = Task(executorPreference: InPlace()) { [executor, log] in
      try await executor.drain()
      log("drained")
    }
    left.cancel()
    log("left")
    gate.open()
    try await drain.value
    #expect(log.entries == ["left", "read", "drained"])
  }

  /// Fails if: a handle that leaves a read which came after a drain is taken for the end of a job that the drain waits for.
  @Test func aDrainThatCameBeforeTheRead() async throws {
    let name = "drained-before-a-read"
    let executor = CoalescingTaskExecutor<String>(name: name)
    let held = await Held(writing: executor)
    let drain = Task.immediate { try await executor.drain() }
    let reads = (0..<2).map { _ in executor.submitRead("a") {} }
    reads[1].cancel()
    let waiting = WaitReport.current.executors.filter { $0.name.hasPrefix(name) }.flatMap(\.waiting)
    #expect(waiting.contains { $0.name == "drain()" })
    try await held.release()
    try await drain.value
    try await reads[0].value
  }

  /// Fails if: the handler of a handle that leaves is called before that is reported.
  @Test func aHandleThatLeavesIsReportedFirst() {
    let told = Log<String>()
    let notes = CoalescingTaskExecutor<String> { if case .left = $0.kind { told("reported") } }
    notes.pause()
    let read = notes.submitRead("a") {}
    read.whenComplete { _ in told("handled") }
    read.cancel()
    #expect(told.entries == ["reported", "handled"])
  }

  /// Fails if: `drain()` may return while the call that cancels a handle calls its handler.
  @Test(arguments: [1, 2]) func drainWaitsForHandlersOfWhatIsCancelled(handles: Int) async throws {
    executor.pause()
    let idle = Log<Bool>()
    let reads = (1...handles).map { _ in executor.submitRead("a") { 1 } }
    reads.last!.whenComplete { [executor] _ in
      for read in reads { read.cancel() }
      idle(executor.line.locked { $0.isIdle })
    }
    reads.last!.cancel()
    #expect(idle.entries == [false])
    try await executor.drain()
  }

  /// ```
  /// writer:  c ─────────────────── waits for a ········ a
  /// reader:  a ── waits for c[1] ── is cancelled ─ ends a
  /// ```
  /// Fails if: an edge counts while its waiter has been cancelled and has not gone on.
  @Test func aWaitThatWasCancelledIsInNoCycle() async throws {
    let line = SerialTaskExecutor(name: "line")
    let thread = OneThread()
    let write = executor.submitWrite { [gate] in
      await gate.pass()
      do { return try await line.enqueue { 2 } } catch {
        thread.goOn()
        throw error
      }
    }
    let reader = thread.start { [executor] in
      try await line.enqueue { _ = try await executor.submitRead("a") { 1 }.value }
    }
    try await thread.allHaveParked()
    thread.hold()
    reader.cancel()
    let behind = Task.immediate {
      try await line.waitUntil(waiting: 1)
      thread.goOn()
    }
    gate.open()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(try await write.value == 2)
    behind.cancel()
  }

  /// ```
  /// writer:  c ─────────────────────────── waits for a ·· a
  /// reader:  a ── waits for c[1] ── c[1] is cancelled ──── ends a
  /// ```
  /// Fails if: a handle that is cancelled and not settled yet still waits for the read, which another handle keeps.
  @Test func aCancelledHandleIsInNoCycle() async throws {
    let (line, thread, decided) = (SerialTaskExecutor(name: "line"), OneThread(), DispatchSemaphore(value: 0))
    let repository = CoalescingTaskExecutor<String>(name: "notes") { [gate] event in
      guard case .left = event.kind else { return }
      gate.open()
      decided.wait()
    }
    let write = repository.submitWrite { [gate] in
      await gate.pass()
      do { return try await line.enqueue { 2 } } catch {
        decided.signal()
        throw error
      }
    }
    let reads = (1...2).map { _ in repository.submitRead("a") { 1 } }
    let reader = thread.start { try await line.enqueue { _ = try await reads[0].value } }
    try await thread.allHaveParked()
    let behind = Task.immediate {
      try await line.waitUntil(waiting: 1)
      decided.signal()
    }
    try await thread.start { reads[0].cancel() }.value
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(try await write.value == 2)
    #expect(try await reads[1].value == 1)
    behind.cancel()
  }
}
