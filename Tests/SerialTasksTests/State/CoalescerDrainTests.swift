import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// When a coalescer counts as idle: the state alone.
@Suite(.watched) struct CoalescerDrainTests {
  private typealias State = CoalescerState<Int, Int>

  /// A caller of `drain` that waits, which is granted what it waits for when nothing goes on any more.
  private func drain(_ state: inout State) -> Waiter {
    let drainer = Waiter(.drainer)
    state.drainers.append(drainer)
    return drainer
  }

  /// A flight that has begun, with its caller.
  private func lead(_ key: Int, _ state: inout State) throws -> (flight: CoalescedFlight<Int, Int>, caller: Waiter) {
    let caller = Waiter()
    guard case .leads(let flight) = state.arrive(FlightRequest(key: StableKey(key)), caller) else {
      throw Missing()
    }
    _ = flight.begin()
    return (flight, caller)
  }

  private struct Missing: Error {}

  private func land(
    _ flight: CoalescedFlight<Int, Int>, as result: Result<Int, any Error> = .success(1), _ state: inout State
  ) {
    flight.kept.result = result
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
    case .left: _ = state.leave(caller, last)
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
    #expect(drainer.state == .granted && unended.isEmpty)
  }

  /// Its callers come again, but they have not yet, and nothing runs.
  ///
  /// Fails if: a prefetch that has failed counts as one that runs, until its callers have come again.
  @Test(arguments: [true, false]) func aPrefetchThatFailed(_ isInvalidated: Bool) throws {
    var state = State()
    let request = FlightRequest(key: StableKey(1), expiresAfter: .seconds(1), now: .zero)
    let prefetched = state.prefetch(request)
    let flight = try #require(prefetched)
    _ = flight.begin()
    let caller = Waiter()
    guard case .joined = state.arrive(FlightRequest(key: StableKey(1), now: .zero), caller) else { throw Missing() }
    if isInvalidated { _ = state.invalidate(StableKey(1)) }
    let drainer = drain(&state)
    land(flight, as: .failure(BackendError(call: 1)), &state)
    var unended = state.unended
    #expect(drainer.state == .granted && unended.isEmpty)
    let (next, _) = try lead(2, &state)
    let later = drain(&state)
    land(next, &state)
    #expect(later.state == .granted)
    guard case .leads(let again) = state.arrive(FlightRequest(key: StableKey(1), now: .zero), caller, from: flight)
    else { throw Missing() }
    unended = state.unended
    #expect(unended.count == 1 && unended.first === again)
  }

  /// Fails if: a closed coalescer begins an operation, or serves what is stored.
  @Test func closed() throws {
    var state = State()
    let request = FlightRequest(key: StableKey(1), expiresAfter: .seconds(1), now: .zero)
    let prefetched = state.prefetch(request)
    let flight = try #require(prefetched)
    _ = flight.begin()
    land(flight, &state)
    state.close()
    for key in [1, 2] {
      let request = FlightRequest(key: StableKey(key), expiresAfter: .seconds(1), now: .zero)
      guard case .closed = state.arrive(request, Waiter()) else { throw Missing() }
      let prefetched = state.prefetch(request)
      #expect(prefetched == nil)
    }
    let unended = state.unended
    #expect(unended.isEmpty)
  }
}
