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
}
