import CoalescingTasks
import Testing

/// Guarantees, *Cancelled while running* and *Failure* of `CoalescingTaskExecutor`: what becomes of a read that its callers leave,
/// or that is withdrawn.
@Suite(.watched) struct ReadLeavingTests {
  let executor = CoalescingTaskExecutor<String>(name: "notes")
  let backend = Backend()

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

  /// Fails if: a read that is being cancelled, or that its last caller has left, is joined while it runs.
  @Test(arguments: [false, true]) func aReadThatIsToEndIsNotJoined(isLeft: Bool) async throws {
    let gate = Gate()
    let first = reading(executor, "a") {
      await gate.pass()
      return 1
    }
    await gate.arrived()
    if isLeft { first.cancel() } else { executor.cancelAll() }
    #expect(try await executor.read("a") { 2 } == 2)
    gate.open()
    _ = await first.result
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

  /// Fails if: what only waits for a read waits on when the last handle of that has left. (Then this hangs.)
  @Test func whatWaitsBehindAReadThatLeaves() async throws {
    let executor = CoalescingTaskExecutor<String>(maximumConcurrentReads: 1)
    let held = await Held(reading: executor, "b")
    let read = executor.submitRead("a") {}
    let write = writing(executor, touching: ["a"]) {}
    read.cancel()
    try await write.value
    try await held.release()
  }
}
