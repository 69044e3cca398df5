import SerialTasks
import Testing

/// Guarantees, *Cancelled while running* and *Failure* of `CoalescingTaskExecutor`: what becomes of a read that its callers leave,
/// or that is withdrawn.
@Suite(.watched) struct ReadLeavingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()

  private func expectCancelled<Value>(
    _ call: Task<Value, any Error>, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { _ = try await call.value }
  }

  /// A read that was granted its turn is joined by a caller that does not wait, and a pause puts the read back before it begins.
  ///
  /// Fails if: such a caller waits for the end of the pause. (Then nothing goes on.)
  @Test func grantedAndPutBackWithoutTime() async throws {
    for _ in 0..<200 {
      let executor = CoalescingTaskExecutor<String>()
      let read = executor.submitRead("a") { 1 }
      let hurried = Task.immediate { try await executor.read("a", waitingAtMost: .zero) { 2 } }
      executor.pause()
      switch await hurried.result {
      case .success(let value): #expect(value == 1 || value == 2)
      case .failure(let error): #expect(error as? JobRejection == .late)
      }
      executor.resume()
      #expect(try await read.value == 1)
    }
  }

  /// A read that was granted its turn is joined by a caller with a limit, and a pause puts the read back before it begins.
  ///
  /// Fails if: the limit of such a caller is not watched. (Then nothing goes on.)
  @Test func grantedAndPutBackWithALimit() async throws {
    for _ in 0..<200 {
      let (clock, done) = (ManualClock(), Log<Bool>())
      let executor = CoalescingTaskExecutor<String>(clock: clock)
      let read = executor.submitRead("a") { 1 }
      let limited = Task.immediate {
        defer { done(true) }
        return try await executor.read("a", waitingAtMost: .seconds(5)) { 2 }
      }
      executor.pause()
      try await until { executor.snapshot.waiting > 0 || !done.entries.isEmpty }
      clock.advance(by: .seconds(6))
      // It reads by itself if the other read had ended before it came.
      switch await limited.result {
      case .success(let value): #expect(value == 1 || value == 2)
      case .failure(let error): #expect(error as? JobRejection == .late)
      }
      executor.resume()
      #expect(try await read.value == 1)
    }
  }

  /// Fails if: a caller that comes while a cancelled read winds down joins it, or what winds down clears the new entry.
  @Test func aLaterCallerStartsAfresh() async throws {
    let read = reading(executor, "a") { await backend.fetch() }
    read.cancel()
    let fresh = Backend()
    let new = reading(executor, "a") { 10 * (await fresh.fetch()) }
    await expectCancelled(read)
    #expect(executor.counts == [0, 2])
    backend.gate.open()
    try await until { executor.counts == [0, 1] }
    let joiner = reading(executor, "a") { 10 * (await fresh.fetch()) }
    fresh.gate.open()
    #expect(try await new.value == 10)
    #expect(try await joiner.value == 10)
    #expect(backend.cancelled == [1] && fresh.cancelled.isEmpty)
  }

  /// Fails if: a waiting read or one of its joiners is not withdrawn, a running read is not cancelled, a caller that comes
  /// later joins what was cancelled, or a write of a caller's own task is touched.
  @Test func cancelAllWithdrawsAndCancels() async throws {
    let executor = CoalescingTaskExecutor<String>(name: "notes", maximumConcurrentReads: 1)
    let running = reading(executor, "a") { await backend.fetch() }
    let waiting = ["b", "b", "c"].map { key in reading(executor, key) { backend.call() } }
    let write = writing(executor) {}
    let submitted = executor.submitWrite {}
    let behind = reading(executor, "a") { backend.call() }
    executor.cancelAll()
    #expect(executor.counts == [0, 1])
    for read in waiting + [behind] { await #expect(throws: JobRejection.withdrawn) { try await read.value } }
    await #expect(throws: JobRejection.withdrawn) { try await write.value }
    await #expect(throws: JobRejection.withdrawn) { try await submitted.value }
    let later = reading(executor, "a") { 10 * backend.call() }
    #expect(executor.counts == [1, 1])
    backend.gate.open()
    #expect(try await running.value == 1)
    #expect(try await later.value == 20)
    #expect(backend.cancelled == [1])
  }

  /// What a read does before its first suspension it does inside the call, before anybody knows its task.
  ///
  /// Fails if: a read that `cancelAll` finds without a task goes on.
  @Test func aReadThatCancelsAllIsCancelled() async throws {
    let gate = Gate()
    let read = reading(executor, "a") { [executor] in
      executor.cancelAll()
      await gate.pass()
      return Task.isCancelled
    }
    gate.open()
    #expect(try await read.value)
  }

  /// An operation may throw `CancellationError` without anybody having been cancelled: an error like any other.
  @Test func anOperationsOwnCancellationError() async throws {
    let reads = (0..<2).map { _ in
      reading(executor, "a") {
        _ = await backend.fetch()
        throw CancellationError()
      }
    }
    backend.gate.open()
    for read in reads { await #expect(throws: CancellationError.self) { try await read.value } }
    #expect(try await executor.read("a") { backend.call() } == 2)
  }

  /// The last caller of a read that never begins reports the end of the read too, also if the read was granted its turn.
  ///
  /// Fails if: the end of a read that was granted its turn and never begins is not reported, or one that runs has two ends.
  @Test(arguments: ["waiting", "granted", "running"]) func theLastCallerReportsAReadThatNeverBegins(moment: String) {
    let executor = CoalescingTaskExecutor<String>(name: "notes")
    let line = executor.line
    let callers = [FlightCaller(), FlightCaller()]
    line.locked { state in
      var effects = Effects()
      if moment == "waiting" { _ = state.enter(name: "write", task: nil) }
      state.settle()
      let types = ReadTypes(Int.self, (any Error).self)
      let read = ReadFlight(line: line, types: types, name: "read", priority: 0, urgency: 0)
      read.read.kind = .read
      line.keys.prepare(read.read, touching: Touched("a"), &state)
      _ = state.arrive(read.read, &effects)
      for caller in callers { read.waiters.append(caller) }
      if moment == "running" { _ = read.begin(&state) }
      for caller in callers { _ = read.leave(caller, .cancelled, &state) }
      #expect(!callers[0].endsJob)
      #expect(callers[1].endsJob == (moment != "running"))
      if moment == "running" { _ = read.land(&state) } else { #expect(!read.read.isPresent) }
      if moment == "waiting", let light = state.leave() { state.end(light, &effects) }
    }
  }

  /// Fails if: a caller that leaves is not reported, or twice.
  @Test func eachCallerThatLeavesIsReportedOnce() async throws {
    let log = EventLog()
    let executor = CoalescingTaskExecutor<String>(onEvent: log.handler)
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
