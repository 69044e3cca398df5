import SerialTasks
import Testing

/// What is reported to `onEvent` of reads and writes.
@Suite(.watched) struct ReadEventTests {
  let log = EventLog()
  let backend = Backend()

  private func makeExecutor(limit: Int? = nil) -> CoalescingTaskExecutor<String> {
    CoalescingTaskExecutor(name: "notes", maximumConcurrentReads: limit) { [log] in log($0) }
  }

  private var reported: [String] {
    log.entries.map { event in
      let name = event.job ?? "?"
      return switch event.kind {
      case .waiting: "\(name) waits"
      case .began: "\(name) began"
      case .joined: "\(name) joined"
      case .served: "\(name) was served"
      case .replaced: "\(name) was replaced"
      case .heldTooLong, .stalled: "\(name) gets nowhere"
      case .finished: "\(name) finished"
      case .failed(let error): "\(name) failed: \(error)"
      case .rejected(.withdrawn): "\(name) withdrawn"
      case .rejected(.cancelled): "\(name) cancelled"
      case .rejected(let why): "\(name) rejected: \(why)"
      case .left(.cancelled): "\(name) left"
      case .left(.withdrawn): "\(name) made to leave"
      case .left(let why): "\(name) left: \(why)"
      }
    }
  }

  /// Fails if: a joiner is reported as a read of its own, or an event is missing or out of order.
  @Test func aReadIsReportedFromItsArrivalToItsEnd() async throws {
    let executor = makeExecutor()
    let held = await HeldJob.writing(executor)
    let read = reading(executor, "a", name: "read") { await backend.fetch() }
    let joiner = reading(executor, "a", name: "joiner") { await backend.fetch() }
    try await held.release()
    await backend.gate.arrived()
    let late = reading(executor, "a", name: "late") { await backend.fetch() }
    let write = writing(executor, name: "write") { throw BackendError(call: 7) }
    backend.gate.open()
    for call in [read, joiner, late] { #expect(try await call.value == 1) }
    await #expect(throws: BackendError(call: 7)) { try await write.value }
    #expect(
      reported == [
        "held began", "read waits", "joiner joined", "held finished", "read began", "late joined", "write waits",
        "read finished", "write began", "write failed: BackendError(call: 7)",
      ])
    #expect(log.entries.map(\.place) == [1, 2, 2, 1, 2, 2, 3, 2, 3, 3])
    #expect(log.entries.allSatisfy { $0.executor == "notes" })
  }

  /// Fails if: a caller that goes without a result is not reported, or twice; or a read that never begins has no end, or two.
  @Test func rejectionsAreReportedOnceForEachCallerAndEachJob() async throws {
    let executor = makeExecutor(limit: 1)
    let held = await HeldJob.reading(executor, "held")
    let reads = ["a", "a", "b"].map { key in reading(executor, key, name: key) { backend.call() } }
    let leaver = reading(executor, "b", name: "leaver") { 0 }
    leaver.cancel()
    await #expect(throws: CancellationError.self) { try await leaver.value }
    let write = writing(executor, name: "write") {}
    let behind = reading(executor, "a", name: "behind") { 0 }
    executor.cancelAll()
    for call in reads + [behind] { await #expect(throws: JobRejection.withdrawn) { try await call.value } }
    await #expect(throws: JobRejection.withdrawn) { try await write.value }
    executor.close()
    await #expect(throws: JobRejection.closed) { try await executor.read("a", name: "late") { 0 } }
    try await held.release()
    #expect(
      reported == [
        "held began", "a waits", "a joined", "b waits", "leaver joined", "leaver left", "write waits", "behind waits",
        "a made to leave", "a made to leave", "a withdrawn", "b made to leave", "b withdrawn", "write withdrawn",
        "behind made to leave", "behind withdrawn", "late rejected: \(JobRejection.closed)", "held finished",
      ])
  }

  /// Fails if: the operation of a read that no caller waits for any more has no end, or one that never began has one.
  @Test func abandonedReads() async throws {
    let executor = makeExecutor(limit: 1)
    let calls = ["runs", "waits"].map { key in reading(executor, key, name: key) { await backend.fetch() } }
    for call in calls {
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }
    backend.gate.open()
    try await executor.drain()
    #expect(reported == ["runs began", "waits waits", "runs left", "waits left", "waits cancelled", "runs finished"])
  }

  /// The last caller of a read that never begins reports the end of the read too, also if the read was granted its turn.
  ///
  /// Fails if: the end of a read that was granted its turn and never begins is not reported, or one that runs has two ends.
  @Test(arguments: ["waiting", "granted", "running"]) func theLastCallerReportsAReadThatNeverBegins(moment: String) {
    let executor = CoalescingTaskExecutor<String>(name: "notes")
    let line = executor.line
    let callers = [FlightCaller(), FlightCaller()]
    line.state.withLock { state in
      if moment == "waiting" { _ = state.enter(name: "write", task: nil) }
      state.settleSolo()
      let types = ReadTypes(Int.self, (any Error).self)
      let read = ReadFlight(line: line, types: types, name: "read", priority: 0, urgency: 0)
      _ = read.join(KeyQueue(), &state)
      for caller in callers { read.waiters.append(caller) }
      if moment == "running" { _ = read.begin(&state) }
      for caller in callers { _ = read.leave(caller, .cancelled, &state) }
      #expect(!callers[0].endsJob)
      #expect(callers[1].endsJob == (moment != "running"))
      if moment == "running" {
        _ = read.land(&state)
      } else if case .revoked = read.begin(&state) {
        _ = state.finish(read.read)
      }
      if moment == "waiting", !state.leaveSolo(), let solo = state.takeSoloWaiter() { _ = state.finish(solo) }
    }
  }

  /// Forty jobs that finish, fail or are cancelled, a write after every seven reads; all have ended when this returns.
  private func playManyJobs() async throws {
    let executor = makeExecutor(limit: 2)
    var calls: [Task<Int, any Error>] = []
    for index in 0..<40 {
      let job: @Sendable () async throws -> Int = {
        await Task.yield()
        if index % 8 != 7, index % 3 == 0 { throw BackendError(call: index) }
        return 0
      }
      calls.append(
        index % 8 == 7
          ? writing(executor, name: "\(index)", job) : reading(executor, "\(index % 4)", name: "\(index)", job))
      if index % 5 == 4 { calls[index - 2].cancel() }
    }
    for call in calls { _ = await call.result }
    try await executor.drain()
  }

  /// Fails if: the end of an operation is reported for each caller, or that of an abandoned one not at all.
  @Test func eachJobHasOneEnd() async throws {
    try await playManyJobs()
    let (began, ended, rejected) = (Log<UInt64?>(), Log<UInt64?>(), Log<UInt64?>())
    for event in log.entries {
      switch event.kind {
      case .began: began(event.place)
      case .finished, .failed: ended(event.place)
      case .rejected: rejected(event.place)
      case .waiting, .joined, .served, .heldTooLong, .stalled, .replaced, .left: break
      }
    }
    #expect(Set(began.entries) == Set(ended.entries) && began.entries.count == ended.entries.count)
    let jobs = began.entries + rejected.entries
    #expect(Set(jobs).count == jobs.count, "each job begins or is rejected, once")
    #expect(Set(jobs) == Set(log.entries.map(\.place)), "each job has an end")
  }

  /// Fails if: a caller that leaves is not reported, or twice.
  @Test func eachCallerThatLeavesIsReportedOnce() async throws {
    let executor = makeExecutor(limit: 2)
    let calls = ["first", "second", "third"].map { name in
      reading(executor, "a", name: name) { await backend.fetch() }
    }
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    backend.gate.open()
    try await executor.drain()
    let left = log.entries.compactMap { event -> String? in if case .left = event.kind { event.job } else { nil } }
    #expect(left.sorted() == ["first", "second", "third"])
  }
}
