import CoalescingTasks
import Testing

/// What is reported to `onEvent`, in words, and what executors and rejections say of themselves.
@Suite(.watched) struct EventTests {
  @Test func aJobIsReportedFromItsArrivalToItsEnd() async throws {
    let log = EventLog()
    let executor = SerialTaskExecutor(name: "notes", capacity: 1) { log($0) }
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
