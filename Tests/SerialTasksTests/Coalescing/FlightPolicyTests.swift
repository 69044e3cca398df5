import CoalescingTasks
import Testing

/// What each policy does to a flight that runs, and what every caller gets: the table of ``ReloadPolicy``, by key.
@Suite(.watched) struct FlightPolicyTests {
  let coalescer: TaskCoalescer<Int, Int>
  let events = EventLog()
  let gates = (0...3).map { _ in Gate() }
  let cancelled = Log<Int>()

  init() { coalescer = TaskCoalescer(name: "profiles", joinWindow: .seconds(60), onEvent: events.handler) }

  /// Asks in a task of its own, whose operation returns its number when its gate is open.
  private func ask(_ number: Int, _ policy: ReloadPolicy) -> Task<CoalescedAnswer<Int>, any Error> {
    let (coalescer, gate, cancelled) = (coalescer, gates[number], cancelled)
    return Task.immediate {
      try await coalescer.answer(for: 7, policy: policy, name: "\(number)") {
        await gate.pass()
        if Task.isCancelled { cancelled(number) }
        return number
      }
    }
  }

  private func began(_ number: Int) -> Bool {
    events.entries.contains { $0.description == "profiles[7]: \(number) began" }
  }

  /// Fails if: a policy does anything else to a flight that runs, or its callers get anything else.
  @Test(arguments: ReloadPolicy.allCases) func theTableIsWhatHappens(policy: ReloadPolicy) async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let second = ask(2, policy)
    if policy == .supersede { await gates[2].arrived() }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 2, running: 1, stored: 0))
    gates[1].open()
    if policy == .rerun {
      #expect(try await first.value == .led(1))
      await gates[2].arrived()
    }
    gates[2].open()
    switch policy {
    case .join: #expect(try await [first.value, second.value] == [.led(1), .joined(1)])
    case .rerun: #expect(try await second.value == .led(2))
    case .supersede: #expect(try await [first.value, second.value] == [.joined(2), .led(2)])
    }
    try await coalescer.drain()
    #expect(began(2) == (policy != .join))
    #expect(cancelled.entries == (policy == .supersede ? [1] : []))
  }

  /// Fails if: callers that must not be answered by what runs are an operation each, or join it.
  @Test func fiftyThatPullAreOneOperation() async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let pulls = (0..<50).map { _ in ask(2, .rerun) }
    #expect(coalescer.snapshot.waiting == 51)
    gates[2].open()
    #expect(!began(2))
    gates[1].open()
    #expect(try await first.value == .led(1))
    #expect(try await pulls[0].value == .led(2))
    for pull in pulls.dropFirst() { #expect(try await pull.value == .joined(2)) }
    #expect(events.entries.count { $0.description.hasSuffix("began") } == 2)
    #expect(events.entries.contains { $0.description == "profiles[7]: 2 waits" })
  }

  /// How what runs goes away before it has ended.
  enum Way: CaseIterable, Sendable { case left, invalidated, invalidatedWithAll }

  /// Fails if: a flight that waits begins only when an operation has ended that no caller wants, or that is out of date, or its
  /// parked task is not resumed.
  @Test(arguments: Way.allCases) func whatFollowsDoesNotWaitForWhatIsNotWanted(way: Way) async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let second = ask(2, .rerun)
    try await until { coalescer.state.withLock { $0.trailing[StableKey(7)]?.parking?.suspension != nil } }
    switch way {
    case .left: first.cancel()
    case .invalidated: coalescer.invalidate(7)
    case .invalidatedWithAll: coalescer.invalidateAll()
    }
    await gates[2].arrived()
    let third = ask(3, .join)
    gates[2].open()
    #expect(try await [second.value, third.value] == [.led(2), .joined(2)])
    gates[1].open()
    if way != .left { #expect(try await first.value == .led(1)) }
  }

  /// Fails if: a flight begins that all its callers have left, or that was withdrawn, or its task is never resumed, or it has
  /// another end than a load that never begins.
  @Test(arguments: [false, true]) func whatWaitsNeverBegins(isWithdrawn: Bool) async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let second = ask(2, .rerun)
    if isWithdrawn { coalescer.cancel(7) } else { second.cancel() }
    if isWithdrawn {
      await #expect(throws: JobRejection.withdrawn) { try await second.value }
    } else {
      await #expect(throws: CancellationError.self) { try await second.value }
    }
    gates[1].open()
    _ = try? await first.value
    try await coalescer.drain()
    let own = events.entries.filter { $0.job == "2" }.map { event in
      switch event.kind {
      case .waiting: "waits"
      case .left(isWithdrawn ? .withdrawn : .cancelled): "left"
      case .rejected(.withdrawn): "never begins"
      default: event.description
      }
    }
    #expect(own.sorted() == ["left", "never begins", "waits"])
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 0, running: 0, stored: 0))
  }

  /// Fails if: a caller that was carried over leaves the flight that it came to, or does not cancel what it was the last to want.
  @Test func whoWasCarriedOverLeavesTheNewFlight() async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let second = ask(2, .supersede)
    await gates[2].arrived()
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(coalescer.snapshot == CoalescerSnapshot(waiting: 1, running: 1, stored: 0))
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    for gate in gates { gate.open() }
    try await coalescer.drain()
    #expect(cancelled.entries.sorted() == [1, 2])
  }

  /// Fails if: a result that was prefetched before the call answers it, or answers a later one.
  @Test(arguments: [ReloadPolicy.rerun, .supersede]) func whatWasStoredIsTooOld(policy: ReloadPolicy) async throws {
    coalescer.prefetch(7, expiresAfter: .seconds(60)) { 0 }
    try await until { coalescer.snapshot.stored == 1 }
    gates[2].open()
    #expect(try await ask(2, policy).value == .led(2))
    #expect(coalescer.snapshot.stored == 0)
  }

  /// Fails if: an operation waits for one that is to follow it.
  @Test func insideItsOwnOperation() async throws {
    let coalescer = coalescer
    let outer = Task.immediate {
      try await coalescer.value(for: 7, name: "outer") {
        try await coalescer.value(for: 7, policy: .rerun, name: "inner") { 2 }
      }
    }
    await #expect(throws: JobRejection.self) { try await outer.value }
  }

  /// Fails if: a call that replaces the operation it is made in is taken for a deadlock, or the callers get the old result.
  @Test func replacedFromInside() async throws {
    let (coalescer, cancelled) = (coalescer, cancelled)
    let outer = Task.immediate {
      try await coalescer.value(for: 7) {
        await #expect(throws: CancellationError.self) {
          try await coalescer.value(for: 7, policy: .supersede) {
            await Task.yield()
            return 2
          }
        }
        if Task.isCancelled { cancelled(1) }
        return 1
      }
    }
    #expect(try await outer.value == 2)
    try await coalescer.drain()
    #expect(cancelled.entries == [1])
  }

  /// ```
  ///   7 runs, and asks for 8 ── who pulls 8 follows 8's flight ── 8's operation asks for 7
  /// ```
  /// Fails if: who waits for a flight that follows is not seen to wait for the one before it.
  @Test func aCycleThroughWhatIsFollowed() async throws {
    let (coalescer, held) = (coalescer, Gate())
    let first = Task.immediate {
      try await coalescer.value(for: 7) {
        await held.pass()
        return try await coalescer.value(for: 8, policy: .rerun) { 2 }
      }
    }
    await held.arrived()
    let second = Task.immediate {
      try await coalescer.value(for: 8) {
        held.open()
        try await coalescer.waits(for: 3)
        return try await coalescer.value(for: 7) { 3 }
      }
    }
    await #expect(throws: JobRejection.self) { try await second.value }
    #expect(try await first.value == 2)
  }

  /// Fails if: `drain()` does not wait for a flight that waits itself, or a closed coalescer loses it.
  @Test func whatFollowsIsDrained() async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let second = ask(2, .rerun)
    coalescer.close()
    gates[1].open()
    gates[2].open()
    try await coalescer.drain()
    #expect(began(2))
    #expect(try await [first.value, second.value] == [.led(1), .led(2)])
  }

  /// Fails if: who waits for a flight that follows is not carried over, or the task of that flight is never resumed.
  @Test func whoFollowsIsCarriedOverToo() async throws {
    let first = ask(1, .join)
    await gates[1].arrived()
    let (second, third) = (ask(2, .rerun), ask(3, .supersede))
    for gate in gates { gate.open() }
    #expect(try await [first.value, second.value, third.value] == [.joined(3), .joined(3), .led(3)])
    try await coalescer.drain()
    #expect(!began(2))
  }

  /// Fails if: callers that are carried over come in another order, or their priorities are lost, or what is followed is not
  /// raised.
  @Test func ordersAndPriorities() throws {
    var state = CoalescerState<Int, Int>()
    var callers: [CoalescedCaller<Int, Int>] = []
    func ask(_ policy: ReloadPolicy, _ priority: UInt8) -> CoalescerState<Int, Int>.Arrival {
      callers.append(CoalescedCaller(priority: priority))
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

  /// Fails if: the time in which a flight that has waited can be joined is measured from when it was asked for.
  @Test func theJoinWindowOpensWhenItBegins() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Int, Int>(joinWindow: .seconds(10), clock: clock)
    let gates = gates
    let first = Task.immediate {
      try await coalescer.value(for: 7) {
        await gates[1].pass(); return 1
      }
    }
    let second = Task.immediate {
      try await coalescer.value(for: 7, policy: .rerun) {
        await gates[2].pass(); return 2
      }
    }
    clock.advance(by: .seconds(15))
    gates[1].open()
    await gates[2].arrived()
    let third = Task.immediate { try await coalescer.value(for: 7) { 3 } }
    gates[2].open()
    #expect(try await [first.value, second.value, third.value] == [1, 2, 2])
  }

  /// Fails if: what waits to follow a stuck operation begins only when another call comes by, or before the join window has passed.
  @Test func whatIsTooOldIsFollowedNoLonger() async throws {
    let (clock, stuck) = (ManualClock(), Gate())
    let coalescer = TaskCoalescer<Int, Int>(joinWindow: .seconds(10), clock: clock)
    let first = asking(coalescer) {
      await stuck.pass()
      return 1
    }
    await stuck.arrived()
    clock.advance(by: .seconds(4))
    let pull = Task.immediate { try await coalescer.answer(for: 7, policy: .rerun) { 2 } }
    try await clock.sleepers()
    #expect(clock.alarms == [.seconds(10)])
    clock.advance(by: .seconds(6))
    #expect(try await pull.value == .led(2))
    stuck.open()
    #expect(try await first.value == .led(1))
  }

  /// Fails if: the result of a prefetch is kept that began before a caller who wanted no older one.
  @Test(arguments: [true, false]) func whatWasPrefetchedBeforeAPullIsNotKept(isWithdrawn: Bool) async throws {
    coalescer.prefetch(7, expiresAfter: .seconds(60)) { [gates] in
      await gates[1].pass()
      return 1
    }
    let pull = ask(2, .rerun)
    if isWithdrawn {
      pull.cancel()
      await #expect(throws: CancellationError.self) { try await pull.value }
    }
    gates[1].open()
    gates[2].open()
    if !isWithdrawn { #expect(try await pull.value == .led(2)) }
    try await coalescer.drain()
    #expect(coalescer.snapshot.stored == (isWithdrawn ? 1 : 0))
  }

  /// Fails if: the limit of what waits to follow goes on when that has begun, and keeps it for so long.
  @Test func theLimitOfWhatFollowsEnds() async throws {
    let clock = ManualClock()
    let coalescer = TaskCoalescer<Int, Int>(joinWindow: .seconds(10), clock: clock)
    let gate = gates[1]
    let first = asking(coalescer) {
      await gate.pass()
      return 1
    }
    let second = Task.immediate { try await coalescer.value(for: 7, policy: .rerun) { 2 } }
    try await clock.sleepers()
    gate.open()
    #expect(try await first.value == .led(1))
    #expect(try await second.value == 2)
    try await until { clock.alarms.isEmpty }
  }

  /// Fails if: an operation that waits to follow another begins although all its callers have left, or one that has begun is
  /// cancelled, because operations run to their end.
  @Test(arguments: [false, true]) func whatHasNotBegunDoesNotRunToItsEnd(hasBegun: Bool) async throws {
    let coalescer = TaskCoalescer<Int, Int>(runsToEnd: true)
    let (gates, log) = (gates, Log<String>())
    let first = asking(coalescer) {
      await gates[1].pass()
      return 1
    }
    let second = Task.immediate {
      try await coalescer.value(for: 7, policy: .rerun) {
        log("began")
        await gates[2].pass()
        log(Task.isCancelled ? "cancelled" : "ended")
        return 2
      }
    }
    if hasBegun {
      gates[1].open()
      await gates[2].arrived()
    }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    for gate in gates { gate.open() }
    #expect(try await first.value == .led(1))
    try await coalescer.drain()
    #expect(log.entries == (hasBegun ? ["began", "ended"] : []))
  }
}
