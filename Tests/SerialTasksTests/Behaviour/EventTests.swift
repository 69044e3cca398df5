import CoalescingTasks
import Testing

/// What is reported to `onEvent`, in words, and what executors and rejections say of themselves.
@Suite(.watched) struct EventTests {
  @Test func aJobIsReportedFromItsArrivalToItsEnd() async throws {
    let log = EventLog()
    let executor = SerialTaskExecutor(name: "notes", capacity: 1) { log.handler($0) }
    let held = await Held(executor)
    let call = waiting(executor, name: "save") {}
    await #expect(throws: JobRejection.self) { try await executor.enqueue(name: "late") {} }
    try await held.release()
    try await call.value
    await #expect(throws: CancellationError.self) {
      try await executor.enqueue(name: "bad") { throw CancellationError() }
    }
    #expect(
      log.entries.map(\.description) == [
        "notes: holder began", "notes: save waits",
        "notes: late was rejected: The job was rejected: as many jobs already wait as the capacity allows (1).",
        "notes: holder finished", "notes: save began", "notes: save finished", "notes: bad began",
        "notes: bad failed: CancellationError()",
      ])
  }

  /// Fails if: a log does not say who joined or left what; or an event does not name the caller and the operation.
  @Test func whoSharesAnOperation() async throws {
    let (log, gate) = (EventLog(), Gate())
    let executor = CoalescingTaskExecutor<String>(name: "notes", onEvent: log.handler)
    let flights = TaskCoalescer<String, Int>(name: "flights", onEvent: log.handler)
    func read(_ name: String?) -> Task<Void, any Error> {
      Task.immediate { try await executor.read("all", name: name) { await gate.pass() } }
    }
    func value(_ name: String?) -> Task<Int, any Error> {
      Task.immediate {
        try await flights.value(for: "all", name: name) {
          await gate.pass()
          return 1
        }
      }
    }
    let reads = ["A", "B", "A", nil].map(read)
    let values = ["A", "B", "A", nil].map(value)
    await gate.waitForArrivals(2)
    for (read, value) in zip(reads, values).dropFirst() {
      read.cancel()
      value.cancel()
      _ = await (read.result, value.result)
    }
    gate.open()
    _ = await (reads[0].result, values[0].result)
    let left = "The job was cancelled before it began, or its caller was cancelled before it had a result."
    for name in ["notes", "flights"] {
      let entries = log.entries.filter { $0.executor == name }
      #expect(
        entries.dropFirst().prefix(6).map(\.description) == [
          "\(name)[all]: B joined A", "\(name)[all]: a caller joined A", "\(name)[all]: a caller joined A",
          "\(name)[all]: B left A: \(left)", "\(name)[all]: a caller left A: \(left)",
          "\(name)[all]: a caller left A: \(left)",
        ])
      #expect(entries.map(\.job) == ["A", "B", "A", nil, "B", "A", nil, "A"])
      #expect(entries.map(\.operation) == [nil, "A", "A", "A", "A", "A", "A", nil])
      #expect(entries.allSatisfy { $0.isShared })
    }
  }

  /// Fails if: the loads and renewals of a reloader and a kept value are not named by who joins them, or not reported as shared.
  @Test func whoSharesALoadOrARenewal() async throws {
    let (log, gate) = (EventLog(), Gate())
    let screen = Reloader<Trigger, Int>(
      name: "screen",
      load: { _ in
        await gate.pass()
        return 1
      }, apply: { _ in }, onEvent: log.handler)
    let token = RenewingValue<Int>(
      name: "token",
      renew: { _ in
        await gate.pass()
        return Renewed(1, validFor: .seconds(1))
      }, onEvent: log.handler)
    let loads = (0..<2).map { _ in Task.immediate { _ = try await screen.reload(.appear) } }
    let renewals = (0..<2).map { _ in Task.immediate { _ = try await token.value() } }
    await gate.waitForArrivals(2)
    for task in [loads[1], renewals[1]] {
      task.cancel()
      _ = await task.result
    }
    gate.open()
    for task in [loads[0], renewals[0]] { try await task.value }
    let joined = log.entries.filter { if case .joined = $0.kind { true } else { false } }.map(\.description)
    #expect(joined.sorted() == ["screen: a caller joined appear", "token: a caller joined renewal"])
    #expect(log.entries.filter { $0.executor == "token" && $0.operation != nil }.map(\.job) == [nil, nil])
    #expect(log.entries.allSatisfy { $0.isShared })
  }

  /// What a metric of load that was shed counts.
  ///
  /// Fails if: a call that was rejected is counted twice, because the read that it had to itself is rejected too; or not at all.
  @Test func aRejectedCallIsCountedOnce() async throws {
    let log = EventLog()
    let executor = CoalescingTaskExecutor<Int>(name: "notes", capacity: 3, onEvent: log.handler)
    let held = await Held(writing: executor)
    await #expect(throws: JobRejection.late) { try await executor.read(1, waitingAtMost: .milliseconds(1)) {} }
    await #expect(throws: JobRejection.late) { try await executor.write(waitingAtMost: .milliseconds(1)) {} }
    await #expect(throws: JobRejection.late) { try await executor.read(1, waitingAtMost: .zero) {} }
    let submitted = executor.submitRead(2) {}
    submitted.cancel()
    let reads = [3, 3].map { key in Task.immediate { try await executor.read(key) {} } }
    let writes = (0..<2).map { _ in executor.submitWrite {} }
    await #expect(throws: JobRejection.full(capacity: 3)) { try await executor.read(4) {} }
    executor.cancelAll()
    for read in reads { await #expect(throws: JobRejection.withdrawn) { try await read.value } }
    for write in writes { await #expect(throws: JobRejection.withdrawn) { try await write.value } }
    try await held.release()
    let lost = log.entries.compactMap { event -> String? in
      switch event.kind {
      case .left(let why): why.name
      case .rejected(let why): event.isShared ? nil : why.name
      default: nil
      }
    }
    #expect(
      lost == ["late", "late", "late", "cancelled", "full", "withdrawn", "withdrawn", "withdrawn", "withdrawn"])
  }

  /// Fails if: a limit on turns has a task sleep for no handler.
  @Test func aLimitWithoutAHandlerHasNoTimer() async throws {
    let clock = ManualClock()
    let line = SerialTaskExecutor(reportsTurnsLongerThan: .seconds(10), clock: clock)
    try await line.enqueue { #expect(clock.alarms.isEmpty) }
  }

  @Test func rejectionsReadAsSentences() {
    let rejections: [JobRejection] = [
      .cancelled, .withdrawn, .full(capacity: 3), .keyFull(capacity: 3), .closed,
      .deadlock(DeadlockError(path: ["a", "b", "a"])),
    ]
    for rejection in rejections {
      #expect("\(rejection)".first?.isUppercase == true)
      #expect("\(rejection)".hasSuffix("."))
    }
    #expect("\(rejections[5])".contains("a → b → a"))
    // `pauseAndWait()` throws it when `resume()` ends the pause.
    #expect("\(rejections[1])".contains("resume()"))
  }

  /// Fails if: an executor, its snapshot or a handle does not say what it was made with, or the snapshot of an idle key how its executor
  /// is.
  @Test func aSnapshotSaysWithWhatItsExecutorWasMade() {
    let line = SerialTaskExecutor(name: "line", capacity: 9)
    #expect(line.name == "line" && line.snapshot.capacity == 9 && line.submit(name: "job") {}.name == "job")
    let keys = KeyedSerialTaskExecutor<Int>(name: "keys", capacity: 80, capacityPerKey: 8)
    #expect(keys.name == "keys" && keys.snapshot.capacity == 80)
    #expect(keys.snapshot(for: 1).capacity == 8)
    keys.pause()
    keys.close()
    #expect(keys.snapshot(for: 1).isPaused && keys.snapshot(for: 1).isClosed)
    let repository = CoalescingTaskExecutor<Int>(name: "repository", capacity: 7, maximumConcurrentReads: 2)
    #expect(repository.name == "repository")
    #expect(repository.snapshot.capacity == 7)
  }

  /// Fails if: the name of an event's kind is not that of its case.
  @Test func theNamesOfKinds() {
    let kinds: [TaskEvent.Kind] = [
      .waiting, .drafted, .began, .joined, .served, .heldTooLong(waiting: 1), .finished, .failed(CancellationError()),
      .rejected(.late), .replaced, .left(.late),
    ]
    for kind in kinds { #expect(kind.name == "\(kind)".prefix { $0 != "(" }) }
  }

  /// Fails if: the name of a rejection is not that of its case.
  @Test func theNamesOfRejections() {
    let rejections: [JobRejection] = [
      .cancelled, .withdrawn, .deadlock(DeadlockError(path: ["a", "a"])), .full(capacity: 1), .keyFull(capacity: 1),
      .late,
      .closed,
    ]
    #expect(
      rejections.map(\.name) == ["cancelled", "withdrawn", "deadlock", "full", "keyFull", "late", "closed"])
  }
}
