import CoalescingTasks
import Synchronization
import Testing

/// What callers share is the same for flights, reads, loads and renewals.
@Suite(.watched) struct SharedFlightTests {
  /// Fails if: those who wait are resumed in another order than that in which they came.
  @Test(arguments: SharedKind.allCases) func callersAreAnsweredInTheOrderInWhichTheyCame(_ kind: SharedKind)
    async throws
  {
    let (gate, log, thread) = (Gate(), Log<Int>(), OneThread())
    let work = SharedWork(kind) {
      await gate.pass()
      return 1
    }
    let callers = (0..<20).map { number in
      thread.start {
        _ = try await work.ask()
        log(number)
      }
    }
    try await thread.allHaveParked()
    gate.open()
    for caller in callers { try await caller.value }
    #expect(log.entries == Array(0..<20))
  }

  /// Fails if: every operation starts on the stack of the one that asks for it.
  @Test(arguments: [SharedKind.flight, .renewal]) func operationsMayNestToAnyDepth(_ kind: SharedKind) async throws {
    @Sendable func load(_ depth: Int) async throws -> Int {
      try await SharedWork(kind) { depth == 0 ? 0 : try await load(depth - 1) + 1 }.ask()
    }
    #expect(try await load(10_000) == 10_000)
  }

  /// Fails if: an operation is taken for a part of its leader's turn.
  @Test(arguments: SharedKind.allCases) func anOperationIsNotInItsLeadersJob(_ kind: SharedKind) async throws {
    let executor = SerialTaskExecutor(name: "notes")
    let work = SharedWork(kind) {
      if executor.isInJob { return 1 }
      return await Task { executor.isInJob }.value ? 2 : 0
    }
    #expect(try await executor.enqueue { try await work.ask() } == 0)
    #expect(try await executor.enqueue { try await CoalescingTaskExecutor<Int>().write { executor.isInJob } })
  }

  /// Fails if: an operation does not keep its owner until it has ended, or anything keeps that longer.
  @Test(arguments: [SharedKind.flight, .load, .renewal]) func anOperationKeepsItsOwnerUntilItHasEnded(
    _ kind: SharedKind
  ) async throws {
    let (gate, done) = (Gate(), Gate())
    weak var owner: AnyObject?
    do {
      let work = SharedWork(kind) {
        await gate.pass()
        return 1
      }
      owner = work.owner
      work.start { done.open() }
    }
    await gate.waitForArrivals()
    #expect(owner != nil)
    gate.open()
    await done.pass()
    try await until { owner == nil }
  }

  // MARK: - Ends

  /// Fails if: an operation is cancelled only when its last caller goes on, which its executor may not let it for long.
  @Test(arguments: [SharedKind.flight, .read, .load]) func whoeverCancelsTheLastCallerCancelsTheOperation(
    _ kind: SharedKind
  ) async throws {
    let (gate, cancelled, thread) = (Gate(), Log<Void>(), OneThread())
    let work = SharedWork(kind) {
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        cancelled(())
      }
      return 1
    }
    let caller = thread.start { _ = try await work.ask() }
    await gate.waitForArrivals()
    try await thread.allHaveParked()
    thread.hold()
    caller.cancel()
    #expect(cancelled.entries.count == 1)
    thread.goOn()
    await #expect(throws: CancellationError.self) { try await caller.value }
    gate.open()
  }

  /// Fails if: the cancellation of one operation inside that of another, and so on, has no end on one stack.
  @Test(arguments: [SharedKind.flight, .read, .load]) func operationsAreCancelledInAnyDepth(_ kind: SharedKind)
    async throws
  {
    let (gate, cancelled) = (Gate(), Gate())
    @Sendable func load(_ depth: Int) async throws -> Int {
      try await SharedWork(kind) {
        if depth > 0 { return try await load(depth - 1) }
        await withTaskCancellationHandler {
          await gate.pass()
        } onCancel: {
          cancelled.open()
        }
        return 0
      }.ask()
    }
    let caller = Task { try await load(10_000) }
    await gate.waitForArrivals()
    caller.cancel()
    await cancelled.pass()
    gate.open()
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  /// What ends an operation without its caller.
  enum Ending: CaseIterable, Sendable { case cancelKey, supersede, supersedeLoad, cancelLoad, clear }

  /// What an operation or an event does; a closure alone must not be kept in a generic type.
  private struct Act: Sendable { let take: @Sendable () -> Void }

  /// Fails if: an operation that has not suspended yet does not see that it was cancelled, or its caller gets its result.
  @Test(arguments: Ending.allCases) func anOperationThatDoesNotSuspendSeesItsEnd(_ ending: Ending) async throws {
    let seen = Log<Bool>()
    let end = Lock<Act?>(nil)
    let operation = { @Sendable (isFirst: Bool) in
      if isFirst {
        end.withLock(\.self)!.take()
        seen(Task.isCancelled)
      }
      return isFirst ? 1 : 2
    }
    let flights = TaskCoalescer<Int, Int>(name: "flights")
    let loads = Log<Void>()
    let screen = Reloader<Trigger, Int>(load: { _ in operation(loads.add(()) == 0) }, apply: { _ in })
    let value = RenewingValue<Int> { _ in Renewed(operation(true), validFor: .seconds(60)) }
    let newer = Log<Task<Int, any Error>>()
    end.withLock {
      $0 = Act {
        switch ending {
        case .cancelKey: flights.cancel(7)
        case .supersede:
          newer(Task.immediate { try await flights.value(for: 7, policy: .supersede) { operation(false) } })
        case .supersedeLoad: screen.request(.change)
        case .cancelLoad: screen.cancel()
        case .clear: value.clear()
        }
      }
    }
    let result =
      switch ending {
      case .cancelKey, .supersede: await Task { try await flights.value(for: 7) { operation(true) } }.result
      case .supersedeLoad, .cancelLoad: await Task { try await screen.reload(.appear) }.result
      case .clear: await Task { try await value.value() }.result
      }
    switch ending {
    case .supersede, .supersedeLoad: #expect(try result.get() == 2)
    case .cancelKey, .cancelLoad, .clear: #expect(throws: JobRejection.withdrawn) { try result.get() }
    }
    try await until { !seen.entries.isEmpty }
    #expect(seen.entries == [true])
    for task in newer.entries { #expect(try await task.value == 2) }
  }

  /// Fails if: what supersedes an operation begins before that is cancelled, which may then still store an older answer.
  @Test(arguments: [SharedKind.flight, .load]) func whatIsSupersededIsCancelledFirst(_ kind: SharedKind) async throws {
    let (begun, gate, log) = (Gate(), Gate(), Log<String>())
    let old = { @Sendable in
      await withTaskCancellationHandler {
        begun.open()
        await gate.pass()
      } onCancel: {
        log("cancelled")
      }
      return 1
    }
    let new = { @Sendable in
      log("begins")
      return 2
    }
    let flights = TaskCoalescer<Int, Int>()
    let screen = Reloader<Trigger, Int>(
      load: { @concurrent trigger in trigger == .appear ? await old() : new() }, apply: { _ in })
    let first = Task.immediate {
      if kind == .load { try await screen.reload(.appear) } else { try await flights.value(for: 7, old) }
    }
    await begun.pass()
    let second =
      if kind == .load { try await screen.reload(.change) } else {
        try await flights.value(for: 7, policy: .supersede) { new() }
      }
    gate.open()
    #expect(try await first.value == 2 && second == 2)
    #expect(log.entries == ["cancelled", "begins"])
  }

  /// A caller is cancelled when it has just boarded, before it waits.
  ///
  /// Fails if: who comes then joins its operation, or it gets the result.
  @Test(arguments: [SharedKind.flight, .load]) func noCallerJoinsWhatACancelledCallerLeads(_ kind: SharedKind)
    async throws
  {
    let (others, runs, works) = (Log<Task<Int, any Error>>(), Log<Void>(), Log<SharedWork>())
    let own = Lock<Act?>(nil)
    let onEvent = { @Sendable (event: TaskEvent) in
      guard case .began = event.kind, let cancel = own.withLock({ $0.take() }) else { return }
      cancel.take()
      others(Task.immediate { try await works.entries[0].ask() })
    }
    let work = SharedWork(kind, onEvent: onEvent) { runs.add(()) + 1 }
    works(work)
    let start = Gate()
    let caller = Task {
      await start.pass()
      return try await work.ask()
    }
    own.withLock { $0 = Act { caller.cancel() } }
    start.open()
    await #expect(throws: CancellationError.self) { try await caller.value }
    try await until { !others.entries.isEmpty }
    #expect(try await others.entries[0].value == runs.entries.count)
  }

  // MARK: - Completion handlers

  /// With `Task.yield()` that was one call in many, hence the rounds.
  ///
  /// Fails if: the completion is called inside the call, where the caller's lock is taken, also when the value is valid.
  @Test(arguments: [SharedKind.flight, .renewal]) func aCompletionNeverRunsInsideTheCall(_ kind: SharedKind) async {
    let work = SharedWork(kind, validFor: .seconds(60)) { 1 }
    for _ in 0..<2_000 {
      let done = Gate()
      let lock = Mutex(false)
      lock.withLock { _ in
        work.start {
          lock.withLock { $0 = true }
          done.open()
        }
      }
      await done.pass()
      #expect(lock.withLock { $0 })
    }
  }

  /// It asks from synchronous code, and its handlers touch what is its own.
  @MainActor private final class Screen {
    var titles: [Int] = []

    func load(_ flights: TaskCoalescer<Int, Int>, _ token: RenewingValue<Int>, _ done: Gate) {
      flights.value(for: 7) {
        7
      } completion: { result in
        MainActor.preconditionIsolated()
        if case .success(let title) = result { self.titles.append(title) }
        token.value { result in
          MainActor.preconditionIsolated()
          if case .success(let title) = result { self.titles.append(title) }
          done.open()
        }
      }
    }
  }

  /// Fails if: a handler may not touch the state of the actor that asks. (Then this does not compile.)
  @Test @MainActor func itIsCalledInItsOwnIsolation() async {
    let (screen, done) = (Screen(), Gate())
    screen.load(TaskCoalescer(), RenewingValue { _ in Renewed(1, validFor: .seconds(60)) }, done)
    #expect(screen.titles.isEmpty)
    await done.pass()
    #expect(screen.titles == [7, 1])
  }

  // MARK: - Cost

  /// Fails if: a flight or a read costs its leader a hop before the operation begins.
  @Test(arguments: [SharedKind.flight, .read]) func anOperationBeginsAtOnce(_ kind: SharedKind) async throws {
    let (begun, gate) = (Log<Int>(), Gate())
    let work = SharedWork(kind) {
      begun(1)
      await gate.pass()
      return 1
    }
    let leader = Task.immediate { try await work.ask() }
    #expect(begun.entries == [1])
    gate.open()
    _ = try await leader.value
  }
}
