import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// When a coalescer counts as idle: the state alone.
@Suite(.watched) struct CoalescerDrainTests {
  private typealias State = CoalescerState<Int, Int>

  /// A caller of `drain` that waits, which is granted what it waits for when nothing goes on any more.
  private func drain(_ state: inout State) -> Waiter {
    let drainer = Waiter(.drainer)
    let accepted = state.unended.map(\.accepted)
    _ = state.drains.wait(drainer, for: accepted)
    return drainer
  }

  /// A flight that has begun, with its caller.
  private func lead(_ key: Int, _ state: inout State) throws -> (
    flight: CoalescedFlight<Int, Int>, caller: FlightCaller<CoalescedFlight<Int, Int>>
  ) {
    let caller = FlightCaller<CoalescedFlight<Int, Int>>()
    guard case .leads(let flight) = state.arrive(FlightRequest(key: StableKey(key)), caller) else {
      throw Missing()
    }
    _ = flight.begin(in: nil)
    return (flight, caller)
  }

  private struct Missing: Error {}

  private func land(
    _ flight: CoalescedFlight<Int, Int>, as result: Result<Int, any Error> = .success(1), _ state: inout State
  ) {
    flight.answer = result
    _ = state.land(flight, now: .zero) { _ in }
  }

  /// What may become of an operation that goes on.
  enum Fate: CaseIterable, Sendable { case wanted, left, invalidated, cancelled, cancelledWithAll }

  /// Fails if: who drains goes on when another operation ends, or does not when the last one does.
  @Test(arguments: Fate.allCases) func theLastToEnd(_ fate: Fate) throws {
    var state = State()
    let (last, caller) = try lead(1, &state)
    switch fate {
    case .wanted: break
    case .left: _ = state.leave(caller)
    case .invalidated: _ = state.invalidate(StableKey(1))
    case .cancelled: _ = state.withdraw(StableKey(1))
    case .cancelledWithAll: _ = state.withdrawAll()
    }
    let (other, _) = try lead(2, &state)
    let drainer = drain(&state)
    land(other, &state)
    #expect(drainer.isWaiting, "an operation goes on")
    var unended = state.unended
    #expect(unended.count == 1 && unended.first === last)
    land(last, &state)
    unended = state.unended
    #expect(drainer.stage == .granted && unended.isEmpty)
  }

  /// Fails if: who drains goes on before an operation has ended that waited to follow another.
  @Test func whatFollows() throws {
    var state = State()
    let (first, _) = try lead(1, &state)
    let request = FlightRequest(key: StableKey(1), policy: .rerun)
    guard case .forced(let next, _, _, _) = state.arrive(request, FlightCaller()) else { throw Missing() }
    let drainer = drain(&state)
    land(first, &state)
    #expect(drainer.isWaiting && next.begin(in: nil))
    land(next, &state)
    #expect(drainer.stage == .granted)
  }

  /// Fails if: what comes later is waited for, or what takes the place of what was there is not.
  @Test(arguments: [SharingPolicy.join, .rerun, .supersede]) func whatComesLater(_ policy: SharingPolicy) throws {
    var state = State()
    let (first, _) = try lead(1, &state)
    let drainer = drain(&state)
    let (other, _) = try lead(2, &state)
    let arrival = state.arrive(FlightRequest(key: StableKey(1), policy: policy), FlightCaller())
    land(first, &state)
    if policy == .supersede, case .forced(let newer, _, _, _) = arrival {
      #expect(drainer.isWaiting, "the callers wait for what replaced it")
      _ = newer.begin(in: nil)
      land(newer, &state)
    }
    #expect(drainer.stage == .granted && other.phase == .flying)
  }

  /// Fails if: a closed coalescer begins an operation, or serves what is stored.
  @Test func closed() throws {
    var state = State()
    let request = FlightRequest(key: StableKey(1), expiresAfter: .seconds(1), now: .zero)
    let prefetched = state.prefetch(request)
    let flight = try #require(prefetched)
    _ = flight.begin(in: nil)
    land(flight, &state)
    _ = state.close()
    for key in [1, 2] {
      let request = FlightRequest(key: StableKey(key), expiresAfter: .seconds(1), now: .zero)
      guard case .rejected(.closed) = state.arrive(request, FlightCaller()) else { throw Missing() }
      let prefetched = state.prefetch(request)
      #expect(prefetched == nil)
    }
    let unended = state.unended
    #expect(unended.isEmpty)
  }
}
