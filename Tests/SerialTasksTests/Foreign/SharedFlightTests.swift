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
    await gate.arrived()
    #expect(owner != nil)
    gate.open()
    await done.pass()
    try await until { owner == nil }
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
