import CoalescingTasks
import Testing

/// What only flights do: landing, the order of rejections, policies in the state, and priorities.
@Suite(.watched) struct FlightTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>(name: "profiles")

  /// *Join between completion and clean-up*, from the other side: the flight has landed, and its leader, whose main actor is
  /// busy, has not run a step since.
  /// ```
  /// leader  ├─ leads ──┼ landed ·············· 1 ┤
  /// late                      ├─ leads ─ 2 ┤
  /// ```
  /// Fails if: the entry of a flight is cleared by its leader when that goes on.
  @Test @MainActor func noCallerJoinsAFlightThatHasLanded() async throws {
    let leader = Task.immediate { @MainActor in try await coalescer.answer(for: 7, backend.fetch) }
    backend.gate.open()
    Cores.spin(while: coalescer.snapshot.running == 1)  // until another thread has landed it
    let late = Task.immediate { @MainActor in try await coalescer.answer(for: 7) { backend.call() } }
    #expect(try await leader.value == .led(1))
    #expect(try await late.value == .led(2))
  }

  /// Fails if: who cancels a key leaves its invalidated operation, which may still store an older answer.
  @Test func cancellingAKeyCancelsWhatWasInvalidated() async {
    let (gate, seen) = (Gate(), Log<Bool>())
    let caller = Task.immediate {
      try await coalescer.value(for: 7) {
        await gate.pass()
        seen(Task.isCancelled)
        return 1
      }
    }
    await gate.waitForArrivals()
    coalescer.invalidate(7)
    coalescer.cancel(7)
    await #expect(throws: JobRejection.withdrawn) { try await caller.value }
    gate.open()
    try? await coalescer.drain()
    #expect(seen.entries == [true])
  }

  /// Fails if: the callers of many keys are rejected in another order than that in which they came.
  @Test func callersAreRejectedInTheirOrder() async {
    let (gate, events) = (Gate(), EventLog())
    let coalescer = TaskCoalescer<Int, Int>(onEvent: events.handler)
    let calls = (0..<8).map { key in
      Task.immediate {
        try await coalescer.value(for: key, name: "call \(key)") {
          await gate.pass()
          return 1
        }
      }
    }
    coalescer.cancelAll()
    for call in calls { await #expect(throws: JobRejection.withdrawn) { try await call.value } }
    #expect(
      events.entries.filter { $0.kind.name == "left" }.map(\.job)
        == (0..<8).map { "call \($0)" })
    gate.open()
  }

  /// Fails if: callers that are carried over come in another order, or their priorities are lost, or what is followed is not
  /// raised.
  @Test func ordersAndPriorities() throws {
    var state = CoalescerState<Int, Int>()
    var callers: [FlightCaller<CoalescedFlight<Int, Int>>] = []
    func ask(_ policy: SharingPolicy, _ priority: UInt8) -> CoalescerState<Int, Int>.ArriveAction {
      callers.append(FlightCaller(priority: priority))
      return state.arrive(FlightRequest(key: StableKey(7), policy: policy, priority: priority), callers.last!)
    }
    guard case .leads(let first) = ask(.join, 17) else { throw WrongArrival() }
    guard case .forced = ask(.rerun, 25) else { throw WrongArrival() }
    #expect(first.raisedTo == 25)
    guard case .forced = ask(.rerun, 33) else { throw WrongArrival() }
    #expect(first.raisedTo == 33)
    guard case .joined = ask(.join, 9) else { throw WrongArrival() }
    guard case .forced(let last, _, _, _) = ask(.supersede, 9) else { throw WrongArrival() }
    #expect(last.raisedTo == 33)
    #expect(last.waiters.elements.map { waiter in callers.firstIndex { $0 === waiter } } == [0, 1, 2, 3, 4])
  }

  private struct WrongArrival: Error {}

  /// Fails if: a flight that never begins has another end than a load.
  @Test(arguments: [false, true]) func theEndOfWhatNeverBegins(isWithdrawn: Bool) async throws {
    let events = EventLog()
    let coalescer = TaskCoalescer<Int, Int>(onEvent: events.handler)
    let first = asking(coalescer, backend.fetch)
    let second = Task.immediate { try await coalescer.value(for: 7, policy: .rerun, name: "second") { 2 } }
    if isWithdrawn { coalescer.cancel(7) } else { second.cancel() }
    backend.gate.open()
    _ = (await first.result, await second.result)
    try await until {
      let told = events.entries.filter { $0.job == "second" }.map { "\($0.kind)".prefix { $0 != "(" } }
      return told.sorted() == ["left", "rejected", "waiting"]
    }
  }

  /// Fails if: the limit of what waits to follow goes on when that has begun, and keeps it for so long.
  @Test func theLimitOfWhatFollowsEnds() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Int, Int>(joinWindow: .seconds(10), clock: clock)
    let first = asking(coalescer, backend.fetch)
    let second = Task.immediate { try await coalescer.value(for: 7, policy: .rerun) { 2 } }
    try await clock.waitForSleepers()
    backend.gate.open()
    #expect(try await first.value == .led(1))
    #expect(try await second.value == 2)
    try await until { clock.alarms.isEmpty }
  }

  /// Fails if: a caller that is rejected goes on before that is reported.
  @Test(arguments: [SharedKind.flight, .load, .renewal]) func aRejectionIsReportedFirst(_ kind: SharedKind) async {
    let (gate, log) = (Gate(), Log<String>())
    let report: @Sendable (TaskEvent) -> Void = { if case .left = $0.kind { log("reported") } }
    let work = SharedWork(kind, onEvent: report) {
      await gate.pass()
      return 1
    }
    let caller = Task(executorPreference: InPlace()) {
      await #expect(throws: JobRejection.withdrawn) { try await work.ask() }
      log("rejected")
    }
    work.owner.cancelAll()
    gate.open()
    await caller.value
    #expect(log.entries == ["reported", "rejected"])
  }

  /// Fails if: a caller that leaves goes on before the operation that only it wanted is cancelled.
  @Test(arguments: [SharedKind.flight, .read, .load]) func theOperationIsCancelledFirst(_ kind: SharedKind) async {
    let (gate, log) = (Gate(), Log<String>())
    let work = SharedWork(kind) {
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        log("cancelled")
      }
      return 1
    }
    let caller = Task(executorPreference: InPlace()) {
      await #expect(throws: CancellationError.self) { try await work.ask() }
      log("left")
    }
    await gate.waitForArrivals()
    caller.cancel()
    gate.open()
    await caller.value
    #expect(log.entries == ["cancelled", "left"])
  }

  // MARK: - Priorities

  let gate = Gate()
  let priorities = TaskCoalescer<Int, TaskPriority>()

  /// The operation has not suspended yet, so there is no handle to raise it by.
  ///
  /// Fails if: a raise that comes before the handle is known is lost.
  @Test func anUrgentJoinerThatComesWhileTheOperationBegins() async throws {
    let joiners = Log<Task<TaskPriority, any Error>>()
    let low = Task.detached(priority: .background) {
      try await priorities.value(for: 7) {
        joiners(Task.immediate(priority: .high) { try await priorities.value(for: 7) { .low } })
        await gate.pass()
        return await raised(to: .high)
      }
    }
    await gate.waitForArrivals()
    gate.open()
    #expect(try await low.value >= .high)
    #expect(try await joiners.entries[0].value >= .high)
  }

  /// Whatever is said counts, and else the leader's priority.
  @Test func anOperationHasThePriorityThatWasAskedFor() async throws {
    #expect(try await priorities.value(for: 7, priority: .low) { Task.basePriority ?? .high } == .low)
    let read = try await CoalescingTaskExecutor<Int>().read(7, priority: .low) { Task.basePriority ?? .high }
    #expect(read == .low)
    let leader = Task.detached(priority: .background) {
      try await priorities.value(for: 7) {
        await gate.pass()
        return Task.basePriority ?? .high
      }
    }
    await gate.waitForArrivals()  // before anybody who waits for the leader raises it
    gate.open()
    #expect(try await leader.value == .background)
  }

  /// Fails if: a read that begins in the call that asks for it stays at the priority that was asked for, below its caller's.
  @Test func aReadIsRaisedByItsCaller() async throws {
    let caller = Task.immediate(priority: .high) {
      try await CoalescingTaskExecutor<Int>().read(7, priority: .low) { await raised() }
    }
    #expect(try await caller.value >= .high)
  }

  /// A leader that was raised before it leads waits at its raised priority.
  ///
  /// Fails if: the operation of a leader that was raised runs at the priority the leader began with.
  @Test func aLeaderThatWasRaised() async throws {
    let leader = Task.detached(priority: .background) {
      await gate.pass()
      return try await priorities.value(for: 7) {
        await Task.yield()
        return Task.currentPriority
      }
    }
    await gate.waitForArrivals()
    leader.escalatePriority(to: .high)
    gate.open()
    #expect(try await leader.value >= .high)
  }
}
