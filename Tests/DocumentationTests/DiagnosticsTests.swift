import CoalescingTasks
import Synchronization
import Testing

/// What a program can be asked while it runs: names, lines for a log, errors that are sentences.
@Suite(.watched, .oneOrder) struct DiagnosticsTests {
  let log = Log()

  /// Fails if: an event is no line that names executor and job, an error is printed like any other, or a rejection is printed as an error.
  @Test func eventsAreLines() async throws {
    let orders = DiagnosticsUse.logged(log)
    orders.submit(name: "ship 17") {}
    orders.submit(name: "ship 18") { throw NotesError.missing(18) }
    try await orders.drain()
    orders.close()
    await #expect(throws: JobRejection.closed) { try await orders.enqueue(name: "ship 19") {} }
    let ends = log.entries.filter { !$0.hasSuffix("waits") }
    #expect(
      ends == [
        "debug: orders: ship 17 began", "debug: orders: ship 17 finished", "debug: orders: ship 18 began",
        "error: orders: ship 18 failed: missing(18)",
        "debug: orders: ship 19 was rejected: The job was rejected: the executor is closed.",
      ])
  }

  /// Fails if: a caller that leaves is logged as an error.
  @Test func aCallerThatLeavesIsNoError() async throws {
    let orders = DiagnosticsUse.logged(log)
    let gate = Gate()
    let first = orders.submit(name: "ship 17") { await gate.pass() }
    await gate.waitForArrivals()
    let second = Task.immediate { try await orders.enqueue(name: "ship 18") {} }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.open()
    try await first.value
    #expect(log.entries.contains { $0.hasPrefix("debug: orders: ship 18 was rejected") })
    #expect(log.entries.allSatisfy { $0.hasPrefix("debug: ") })
  }

  /// Fails if: a handler does not see the task-locals that the article says.
  @Test func aHandlerSeesTheTaskLocalsOfItsCause() async throws {
    let orders = SerialTaskExecutor(name: "orders") { [log] event in
      log("\(event.job ?? "-") \("\(event.kind)".prefix { $0 != "(" }) \(Request.id)")
    }
    try await Request.$id.withValue("r1") { try await orders.enqueue(name: "a") {} }
    let submitted = Request.$id.withValue("r2") { orders.submit(name: "b") {} }
    try await submitted.value
    let detached = Request.$id.withValue("r3") { orders.submitDetached(name: "c") {} }
    try await detached.value
    try await orders.drain()
    #expect(
      log.entries.filter { !$0.contains("waiting") } == [
        "a began r1", "a finished r1", "b began r2", "b finished r2", "c began none", "c finished none",
      ])
  }

  private enum Request { @TaskLocal static var id = "none" }

  /// Fails if: what an event says cannot be measured with one handler.
  @Test func anExecutorIsMeasured() async throws {
    let orders = DiagnosticsUse.measured { [log] name, value in if value >= 0 { log(name) } }
    try await orders.enqueue {}
    #expect(log.entries == ["orders.waited", "orders.ran"])
  }

  /// Fails if: the ring loses the newest events, keeps older ones, or is not in order.
  @Test func theLastEventsAreDrawn() async throws {
    let last = LastEvents(4)
    #expect(last.timeline.text(isASCII: true) == Timeline([]).text(isASCII: true))
    let orders = DiagnosticsUse.drawn(last) { [log] in log($0) }
    for ship in 1...3 { try await orders.enqueue(name: "ship \(ship)") {} }
    let ships = last.timeline.text().split(separator: "\n").filter { $0.contains("ship ") }.map { $0.prefix(8) }
    #expect(ships == ["  ship 2", "  ship 3"])
    #expect(log.entries.isEmpty)
    let held = TaskEvent(
      kind: .heldTooLong(waiting: 2), executor: "orders", job: "ship 4", place: 4, waited: .zero, ran: .seconds(12))
    last.note(held)
    #expect(last.timeline.text(width: 120).contains("held too long, 2 wait"))
  }

  /// A hang that no graph of waits can see.
  ///
  /// Fails if: the report does not say who holds what, and who waits.
  @Test func aLostContinuationIsSeen() async throws {
    let orders = SerialTaskExecutor(name: "orders that hang")
    let lost = Gate()
    let box = Mutex<CheckedContinuation<Void, Never>?>(nil)
    let hanging = Task {
      try await DiagnosticsUse.hangs(orders) { continuation in
        box.withLock { $0 = continuation }
        Task { await lost.pass() }
      }
    }
    await lost.waitForArrivals()
    let next = Task.immediate { try await orders.enqueue(name: "ship 18") {} }
    DiagnosticsUse.reported { log($0) }
    let text = try #require(log.entries.first)
    #expect(text.contains("orders that hang: held by ship 17, 1 wait\n  ship 18 for "))
    box.withLock { $0.take() }?.resume()
    lost.open()
    try await hanging.value
    try await next.value
  }

  /// Fails if: the name of a job does not reach its task.
  @Test func aJobsNameIsItsTasks() async throws {
    #expect(try await DiagnosticsUse.taskName(SerialTaskExecutor()) == "ship 17")
    let profiles = TaskCoalescer<Int, String?>()
    #expect(try await profiles.value(for: 7, name: "profile 7") { Task.name } == "profile 7")
    let notes = CoalescingTaskExecutor<Int>()
    #expect(try await notes.read(7, name: "read 7") { Task.name } == "read 7")
    #expect(try await notes.submitWrite(name: "write 7") { Task.name }.value == "write 7")
    let accounts = KeyedSerialTaskExecutor<Int>()
    #expect(try await accounts.submit(for: 7, name: "deposit") { Task.name }.value == "deposit")
  }

  /// Every rejection as `print(error)` shows it, from where it is thrown.
  ///
  /// Fails if: what is thrown reads as code.
  @Test func whatIsThrownPrintsAsSentences() async throws {
    let orders = SerialTaskExecutor(name: "orders", capacity: 1)
    let gate = Gate()
    // Detached, because this suite is watched for deadlocks.
    await printed { try await Task.detached { try await orders.enqueue { try await orders.enqueue {} } }.value }
    orders.submit { await gate.pass() }
    await gate.waitForArrivals()
    let queued = orders.submit {}
    await printed { try await orders.enqueue {} }
    orders.cancelAll()
    await printed { try await queued.value }
    orders.close()
    await DiagnosticsUse.rejected(orders, {}, log)
    gate.open()
    try await orders.drain()
    #expect(
      log.entries == [
        """
        Deadlock: orders → orders. A job held “orders” and requested “orders”. The call for “orders” would wait \
        forever and was rejected. Do the inner work directly instead of through “orders”, submit it without awaiting it \
        here, or use executors and coalescers in the same order everywhere.
        """,
        "The job was rejected: as many jobs already wait as the capacity allows (1).",
        """
        The job was withdrawn by cancelAll(), cancel(_:), clear() or shutDown(within:) before it had a result; or the call \
        was pauseAndWait(), and resume() ended the pause.
        """,
        "The job was rejected: the executor is closed.",
      ])
  }

  private nonisolated(nonsending) func printed(_ body: nonisolated(nonsending) () async throws -> Void) async {
    do { try await body() } catch { Swift.print(error, to: &lines) }
  }

  /// Where `print` writes.
  private var lines: Lines {
    get { Lines(log: log) }
    nonmutating set {}
  }

  private struct Lines: TextOutputStream {
    let log: Log
    func write(_ text: String) { if text != "\n", !text.isEmpty { log(text) } }
  }
}
