import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// What becomes of callers of an operation that is too old to be joined, when a newer one of its key has ended: the state alone.
@Suite(.watched) struct StuckCallersTests {
  private typealias State = CoalescerState<Int, Int>

  private struct Missing: Error {}

  private func lead(_ key: Int, at seconds: Int, _ state: inout State) throws -> (
    flight: CoalescedFlight<Int, Int>, caller: FlightCaller<CoalescedFlight<Int, Int>>
  ) {
    let caller = FlightCaller<CoalescedFlight<Int, Int>>()
    let request = FlightRequest(key: StableKey(key), now: .seconds(seconds))
    guard case .leads(let flight) = state.arrive(request, caller), flight.begin(in: nil) else { throw Missing() }
    return (flight, caller)
  }

  private func land(
    _ flight: CoalescedFlight<Int, Int>, as result: Result<Int, any Error> = .success(1), _ state: inout State
  ) {
    flight.answer = result
    _ = state.answerStuckCallers(with: flight)
    _ = state.land(flight, now: nil) { _ in }
  }

  /// Fails if: a failure answers them, the result of another key does, or they are not answered in their order; or the operation
  /// that they have left goes on, or is cancelled though it runs to its end.
  @Test(arguments: [false, true]) func theyGetTheNextResult(runsToEnd: Bool) throws {
    var state = State(joinWindow: .seconds(2), runsToEnd: runsToEnd)
    let (old, stuck) = try lead(1, at: 0, &state)
    let (other, elsewhere) = try lead(2, at: 0, &state)
    let (failed, _) = try lead(1, at: 2, &state)
    land(failed, as: .failure(Missing()), &state)
    let (otherwise, _) = try lead(3, at: 9, &state)
    land(otherwise, &state)
    #expect(stuck.flight === old && stuck.isWaiting)
    let (new, caller) = try lead(1, at: 9, &state)
    new.answer = .success(7)
    _ = state.answerStuckCallers(with: new)
    #expect(stuck.flight === new && !stuck.leads && caller.leads)
    #expect(old.phase == (runsToEnd ? .flying : .abandoned) && other.phase == .flying && elsewhere.flight === other)
    let (interruptions, running) = (state.interruptions, state.snapshot(now: .zero).running)
    #expect(interruptions == (runsToEnd ? 0 : 1) && running == (runsToEnd ? 3 : 2))
    var answered: [Waiter] = []
    _ = state.land(new, now: nil) { answered.append($0) }
    #expect(answered.map { $0 === stuck } == [true, false])
    let waiting = state.snapshot(now: .zero).waiting
    #expect(waiting == 1)
  }

  /// Fails if: a result that began before theirs, by a clock that was set back, answers them.
  @Test func noOlderResult() throws {
    var state = State(joinWindow: .seconds(2))
    let (old, _) = try lead(1, at: 9, &state)
    _ = state.invalidate(StableKey(1))
    let (new, stuck) = try lead(1, at: 0, &state)
    _ = state.invalidate(StableKey(1))
    land(old, &state)
    #expect(stuck.isWaiting && stuck.flight === new)
  }

  /// Fails if: who drains does not wait for the operation that they have left, and for the one that answers them; or waits on when
  /// both have ended.
  @Test(arguments: [false, true], [false, true]) func whoDrainsWaitsForBoth(isLate: Bool, newEndsFirst: Bool) throws {
    var state = State(joinWindow: .seconds(2))
    let (old, _) = try lead(1, at: 0, &state)
    let drainer = Waiter(.drainer)
    if !isLate { _ = state.drains.wait(drainer, for: [old.accepted]) }
    let (new, _) = try lead(1, at: 2, &state)
    if isLate { _ = state.drains.wait(drainer, for: [old.accepted, new.accepted]) }
    new.answer = .success(1)
    _ = state.answerStuckCallers(with: new)
    for flight in newEndsFirst ? [new, old] : [old, new] {
      #expect(drainer.isWaiting)
      _ = state.land(flight, now: nil) { _ in }
    }
    #expect(drainer.stage == .granted)
  }

  /// Fails if: what answers callers of one that it has replaced, and of one that was too old, is waited for twice.
  @Test func whoDrainsWaitsOnceForWhatAnswersTwo() throws {
    var state = State(joinWindow: .seconds(2))
    let (old, _) = try lead(1, at: 0, &state)
    let (replaced, _) = try lead(1, at: 2, &state)
    let drainer = Waiter(.drainer)
    _ = state.drains.wait(drainer, for: [old.accepted, replaced.accepted])
    let request = FlightRequest(key: StableKey(1), policy: .supersede, now: .seconds(3))
    guard case .forced(let new, _, _, _) = state.arrive(request, FlightCaller()), new.begin(in: nil) else {
      throw Missing()
    }
    new.answer = .success(1)
    _ = state.answerStuckCallers(with: new)
    for flight in [old, replaced, new] {
      #expect(drainer.isWaiting)
      _ = state.land(flight, now: nil) { _ in }
    }
    #expect(drainer.stage == .granted)
  }

  /// Fails if: a result that is fetched ahead is not fetched, because its callers had another answer.
  @Test func whatIsFetchedAheadGoesOn() throws {
    var state = State(joinWindow: .seconds(2))
    let fetched = state.prefetch(FlightRequest(key: StableKey(1), expiresAfter: .seconds(9), now: .zero))
    let old = try #require(fetched)
    _ = old.begin(in: nil)
    guard case .joined = state.arrive(FlightRequest(key: StableKey(1), now: .zero), FlightCaller()) else {
      throw Missing()
    }
    let (new, _) = try lead(1, at: 2, &state)
    land(new, &state)
    #expect(old.phase == .flying && old.waiters.isEmpty)
  }
}
