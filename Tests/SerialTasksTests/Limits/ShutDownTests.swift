import SerialTasksTesting
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// `shutDown(within:)` of every type that has it.
@Suite(.watched) struct ShutDownTests {
  enum Kind: CaseIterable, Sendable { case serial, keyed, repository, reads, coalescer }

  /// What is shut down, with one way to run a job in a caller's task or in a task of its own.
  struct Subject: Sendable {
    let part: any Drainable
    let clock: ManualClock
    let run: @Sendable (_ job: @escaping @Sendable () async throws -> Void) async throws -> Void
    let count: @Sendable () -> Int

    init(_ kind: Kind) {
      let clock = ManualClock()
      self.clock = clock
      switch kind {
      case .serial:
        let executor = SerialTaskExecutor(clock: clock)
        (part, run, count) = (executor, { try await executor.enqueue($0) }, { executor.snapshot.waiting })
      case .keyed:
        let executor = KeyedSerialTaskExecutor<Int>(clock: clock)
        (part, run, count) = (executor, { try await executor.enqueue(for: 1, $0) }, { executor.snapshot.waiting })
      case .repository:
        let executor = CoalescingTaskExecutor<Int>(clock: clock)
        (part, run, count) = (executor, { try await executor.write(touching: [1], $0) }, { executor.snapshot.waiting })
      case .reads:
        let executor = CoalescingTaskExecutor<Int>(maximumConcurrentReads: 1, clock: clock)
        let keys = Log<Int>()
        let run: @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void = { job in
          keys(0)
          try await executor.read(keys.entries.count) { try await job() }
        }
        (part, self.run, count) = (executor, run, { executor.snapshot.waiting })
      case .coalescer:
        let coalescer = TaskCoalescer<Int, Int>(clock: clock)
        let run: @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void = { job in
          _ = try await coalescer.value(for: 1) {
            try await job()
            return 1
          }
        }
        (part, self.run, count) = (coalescer, run, { 1 })
      }
    }
  }

  private let gate = Gate()

  /// Fails if: an operation that its last caller leaves during a shutdown passes for one that ended by itself.
  @Test(arguments: [false, true]) func theLastCallerLeaves(isLoad: Bool) async throws {
    enum Reason: ReloadReason {
      case show
      var policy: ReloadPolicy { .join }
    }
    let operation: @Sendable () async -> Void = { [gate] in await gate.pass() }
    let coalescer = TaskCoalescer<Int, Void>(clock: ManualClock())
    let reloader = Reloader<Reason, Void>(clock: ManualClock(), load: { _ in await operation() }, apply: { _ in })
    let part: any Drainable = isLoad ? reloader : coalescer
    let caller = Task.immediate {
      if isLoad { try await reloader.reload(.show) } else { try await coalescer.value(for: 1) { await operation() } }
    }
    await gate.arrived()
    let end = Task.immediate { await part.shutDown(within: .seconds(1)) }
    caller.cancel()
    gate.open()
    #expect(await !end.value)
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  /// Fails if: an idle one does not return at once, or reads time.
  @Test(arguments: Kind.allCases) func nothingToEnd(_ kind: Kind) async throws {
    let subject = Subject(kind)
    #expect(await subject.part.shutDown(within: .zero))
    #expect(await subject.part.shutDown(within: .seconds(1)))
    #expect(subject.clock.alarms.isEmpty)
    await #expect(throws: JobRejection.closed) { try await subject.run {} }
  }

  /// Fails if: what is asked for while a shutdown without time waits for what runs is accepted.
  @Test(arguments: Kind.allCases) func askedWhileItEnds(_ kind: Kind) async throws {
    let subject = Subject(kind)
    let job = Task.immediate { [gate] in try await subject.run { await gate.pass() } }
    await gate.arrived()
    let end = Task.immediate { await subject.part.shutDown(within: .zero) }
    await #expect(throws: JobRejection.closed) { try await subject.run {} }
    gate.open()
    #expect(await !end.value)
    _ = await job.result
  }

  /// Fails if: a load or a renewal that is asked for meanwhile is accepted.
  @Test func aLoadAndARenewalAreAskedForWhileTheyEnd() async throws {
    enum Reason: ReloadReason {
      case show
      var policy: ReloadPolicy { .supersede }
    }
    let operation: @Sendable () async -> Void = { [gate] in await gate.pass() }
    let reloader = Reloader<Reason, Void>(load: { _ in await operation() }, apply: { _ in })
    let token = RenewingValue<Int> { _ async throws in
      await operation()
      return Renewed(1, validFor: .seconds(9))
    }
    let calls = [
      Task.immediate { try await reloader.reload(.show) }, Task.immediate { _ = try await token.value() },
    ]
    await gate.arrived(2)
    let ends = [
      Task.immediate { await reloader.shutDown(within: .zero) }, Task.immediate { await token.shutDown(within: .zero) },
    ]
    await #expect(throws: JobRejection.closed) { try await reloader.reload(.show) }
    await #expect(throws: JobRejection.closed) { try await token.value() }
    gate.open()
    for end in ends { #expect(await !end.value) }
    for call in calls { _ = await call.result }
  }

  /// Fails if: a job that shuts its own executor down waits for itself (then this hangs).
  @Test(arguments: Kind.allCases) func insideAJob(_ kind: Kind) async throws {
    let subject = Subject(kind)
    let job = Task.immediate {
      try await subject.run {
        #expect(await !subject.part.shutDown(within: .seconds(10)))
        // A task that was made for the job may not be known before the job first suspends.
        if [.serial, .keyed, .repository].contains(kind) { #expect(Task.isCancelled) }
      }
    }
    _ = await job.result
    #expect(await subject.part.shutDown(within: .zero))
  }

  enum Interruption: CaseIterable, Sendable {
    case callerLeaves, handleLeaves, runningIsCancelled, readIsLeft, waitingIsWithdrawn, runningIsWithdrawn
    case callerIsEnded
  }

  /// Fails if: what others interrupt while there is time left is not counted, and all is said to have ended by itself.
  @Test(arguments: Interruption.allCases) func interruptedByOthers(_ what: Interruption) async {
    let (clock, notes) = (ManualClock(), CoalescingTaskExecutor<Int>(clock: ManualClock()))
    let executor = SerialTaskExecutor(clock: clock)
    let part: any Drainable = what == .readIsLeft ? notes : executor
    let interrupt: () -> Void
    switch what {
    case .callerLeaves, .handleLeaves, .waitingIsWithdrawn, .callerIsEnded:
      Task.immediate { [gate] in try await executor.enqueue { await gate.pass() } }
    case .runningIsCancelled, .runningIsWithdrawn, .readIsLeft: break
    }
    switch what {
    case .callerLeaves:
      let caller = Task.immediate { try await executor.enqueue {} }
      interrupt = { caller.cancel() }
    case .handleLeaves:
      let job = executor.submit {}
      interrupt = { job.cancel() }
    case .waitingIsWithdrawn:
      executor.submit {}
      interrupt = { executor.cancelAll() }
    case .callerIsEnded:
      interrupt = { Task.immediate { await executor.shutDown(within: .zero) } }
    case .runningIsCancelled:
      let job = executor.submit { [gate] in await gate.pass() }
      interrupt = { job.cancel() }
    case .runningIsWithdrawn:
      executor.submit { [gate] in await gate.pass() }
      interrupt = { executor.cancelAll() }
    case .readIsLeft:
      let read = notes.submitRead(1) { [gate] in await gate.pass() }
      interrupt = { read.cancel() }
    }
    await gate.arrived()
    let end = Task.immediate { await part.shutDown(within: .seconds(1_000)) }
    interrupt()
    gate.open()
    #expect(await !end.value)
  }

  /// Fails if: the cancellation of a job that has ended counts as an interruption.
  @Test func cancelledWhenItHasEnded() async throws {
    let executor = SerialTaskExecutor(clock: ManualClock())
    let ended = executor.submit {}
    try await ended.value
    try await executor.drain()
    executor.submit { [gate] in await gate.pass() }
    await gate.arrived()
    let end = Task.immediate { await executor.shutDown(within: .seconds(1_000)) }
    ended.cancel()
    gate.open()
    #expect(await end.value)
  }

  /// A job of one executor shuts down another whose job waits for the first: neither can wait for the other.
  ///
  /// Fails if: the wait for what runs is not in the wait graph (then this hangs).
  @Test func aCircleOfJobs() async throws {
    let (a, b) = (SerialTaskExecutor(name: "a"), SerialTaskExecutor(name: "b"))
    let inB = Gate()
    let one = Task.immediate {
      try await b.enqueue {
        await inB.pass()
        try await a.enqueue {}
      }
    }
    await inB.arrived()
    try await a.enqueue {
      inB.open()
      try await a.waits(for: 1)
      #expect(await !b.shutDown(within: .seconds(3_600)))
    }
    _ = await one.result
    #expect(await b.shutDown(within: .zero))
  }

  /// Fails if: the wait of an operation that no caller wants any more is taken to end by itself, though it cannot be cancelled. (Then
  /// this hangs.)
  @Test func aCircleWithAnOperationThatIsLeft() async throws {
    let (line, coalescer) = (SerialTaskExecutor(name: "line"), TaskCoalescer<Int, Bool>(name: "flights"))
    let job = Task.immediate { [gate] in
      try await line.enqueue {
        await gate.pass()
        return await coalescer.shutDown(within: .zero)
      }
    }
    await gate.arrived()
    let flight = Task.immediate { try await coalescer.value(for: 1) { await line.shutDown(within: .zero) } }
    gate.open()
    #expect(try await !job.value)
    _ = await flight.result
    try await coalescer.drain()
  }

  /// Jobs submit jobs while the executor shuts down.
  ///
  /// Fails if: one that was accepted neither runs nor is rejected, or one lands after the end.
  @Test func jobsThatSubmitJobs() async throws {
    var rounds = Rounds(200)
    while rounds.next(bothWays: true) != nil {
      let (executor, log, isDown) = (SerialTaskExecutor(), Log<Int>(), Log<Bool>())
      @Sendable func submit(_ number: Int) {
        executor.submit {
          #expect(isDown.entries.isEmpty)
          log(number)
          submit(number + 1)
        }
      }
      for _ in 0..<3 { submit(0) }
      await executor.shutDown(within: .seconds(60))
      isDown(true)
      #expect(executor.snapshot.waiting == 0 && executor.snapshot.running == 0)
    }
  }

  /// The limit passes just as the last job ends.
  ///
  /// Fails if: the end is missed (then this hangs), or a job is cancelled after its turn.
  @Test func theLimitAgainstTheLastEnd() async throws {
    var (inTime, late) = (0, 0)
    var rounds = Rounds(2_000)
    while let round = rounds.next(bothWays: inTime > 0 && late > 0) {
      let (subject, moment) = (Subject(Kind.allCases[round % Kind.allCases.count]), Moment(round: round))
      let job = Task.immediate { try await subject.run { await moment.pass() } }
      let end = Task.immediate { await subject.part.shutDown(within: .seconds(1)) }
      try await subject.clock.sleepers()
      let done = moment.race { subject.clock.advance(by: .seconds(1)) }
      _ = await job.result
      if await end.value { inTime += 1 } else { late += 1 }
      await done.pass()
    }
    #expect(rounds.met(inTime > 0 && late > 0))
  }

  /// A job shuts another executor down, and waits for a job of that which does not end.
  ///
  /// Fails if: the edge of that wait is in the graph when the wait has ended, and with it all that it holds.
  @Test(arguments: Kind.allCases) func aJobThatHasShutAnotherDown(_ kind: Kind) async throws {
    let (subject, notes) = (Subject(kind), SerialTaskExecutor(name: "notes"))
    let job = Task.immediate { [gate] in try await subject.run { await gate.pass() } }
    await gate.arrived()
    let end = Task.immediate {
      try await notes.enqueue {
        let inTime = await subject.part.shutDown(within: .zero)
        #expect(WaitGraph.waits(from: notes.line) == 0)
        return inTime
      }
    }
    try await until { WaitGraph.waits(from: notes.line) > 0 }
    gate.open()
    #expect(try await !end.value)
    _ = await job.result
  }
}
