import SerialTasks
import Testing

/// What a program can be asked while it runs: names, lines for a log, errors that are sentences.
@Suite(.watched) struct DiagnosticsTests {
  let log = Log()

  /// Fails if: an event is no line that names executor and job, or an error is printed like any other.
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
        "error: orders: ship 19 was rejected: The job was rejected: the executor is closed.",
      ])
    try await DiagnosticsUse.printed().enqueue(name: "ship") {}
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
    await printed { try await orders.enqueue { try await orders.enqueue {} } }
    orders.submit { await gate.pass() }
    await gate.arrived()
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
        Deadlock: orders → orders. This call waits for “orders”; and the running job of “orders” waits for this call. It \
        would never have returned, so it was rejected; nothing else was changed. Do the inner work directly (a job needs no \
        second turn), submit it without awaiting it here, or use the executors in the same order everywhere.
        """,
        "The job was rejected: as many jobs already wait as the capacity allows (1).",
        "The job was withdrawn by cancelAll(), cancel(_:) or clear() before it had a result.",
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
