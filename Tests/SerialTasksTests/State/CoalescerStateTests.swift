import CoalescingTasks
import Testing

/// What a state of flights decides where programs of public calls do not come, or cannot see it.
@Suite(.watched) struct CoalescerStateTests {
  /// An operation that no caller wants any more when its task comes to run does not begin.
  ///
  /// Fails if: `begin` asks less than whether the flight is still boarding.
  @Test func whatWasWithdrawnBeforeItBeganNeverBegins() {
    var state = CoalescerState<Int, Int>()
    guard case .leads(let flight) = state.arrive(FlightRequest(key: StableKey(0)), FlightCaller()) else {
      Issue.record("the first caller does not lead")
      return
    }
    let withdrawal = state.withdraw(StableKey(0))
    #expect(withdrawal.withdrawn.map { $0.flight === flight } == [true])
    #expect(!flight.begin(in: nil))
    #expect(flight.attach(Task {}, isDeep: false) == nil)
  }

  /// The time at which the running flight could be joined is over, and the timer of what follows has not fired yet.
  ///
  /// Fails if: a caller that comes then leads a third flight, or leaves what follows waiting.
  @Test func whoComesBeforeTheTimerJoinsWhatFollows() {
    var state = CoalescerState<Int, Int>(joinWindow: .seconds(2))
    func request(_ policy: SharingPolicy, at seconds: Int) -> FlightRequest<Int> {
      FlightRequest(key: StableKey(0), policy: policy, now: .seconds(seconds))
    }
    guard case .leads(let running) = state.arrive(request(.join, at: 0), FlightCaller()), running.begin(in: nil),
      case .forced(let following, isNew: true, _, _) = state.arrive(request(.rerun, at: 1), FlightCaller()),
      case .forced(let joined, isNew: false, _, _) = state.arrive(request(.join, at: 2), FlightCaller())
    else {
      Issue.record("what follows is not joined")
      return
    }
    let current = state.current[StableKey(0)]
    #expect(joined === following && current === following && running.isDetached)
  }

  /// What ended in one flight is withdrawn in the order in which it began, however the table hashes.
  ///
  /// Fails if: `withdrawAll` takes the flights in the order of their keys or addresses.
  @Test func withdrawsInOrder() {
    var state = CoalescerState<Int, Int>()
    for key in 0..<100 {
      _ = state.arrive(FlightRequest(key: StableKey(key)), FlightCaller(name: "\(key)"))
      if key % 3 == 0 { _ = state.invalidate(StableKey(key)) }
    }
    #expect(state.withdrawAll().withdrawn.map(\.name) == (0..<100).map { "\($0)" })
  }

  /// Each cancellation of a key looked at all invalidated operations of all keys.
  ///
  /// Fails by taking minutes if it does; or if one that ends or is withdrawn stays in the table.
  @Test func invalidatedFlightsOfOtherKeysAreNotSearched() {
    var state = CoalescerState<Int, Int>()
    for key in 0..<100_000 { _ = state.arrive(FlightRequest(key: StableKey(key)), FlightCaller()) }
    let flights = (0..<100_000).map { state.current[StableKey($0)]! }
    _ = state.invalidateAll()
    var withdrawn = 0
    for key in 0..<50_000 { withdrawn += state.withdraw(StableKey(key)).withdrawn.count }
    #expect(withdrawn == 50_000 && state.detached.count == 50_000)
    for flight in flights {
      _ = flight.begin(in: nil)
      flight.answer = .success(0)
      _ = state.land(flight, now: nil) { _ in }
    }
    #expect(state.detached.isEmpty && state.callers == 0)
  }

  private struct Colliding: Hashable {
    let id: Int
    func hash(into hasher: inout Hasher) {}
  }

  /// Fails if: an invalidated operation is taken for one of another key with the same hash, or an older one of its key is missed.
  @Test func invalidatedFlightsOfOneHashAreToldApart() {
    var state = CoalescerState<Colliding, Int>()
    for (id, name) in [(0, "a"), (1, "b"), (0, "c"), (1, "d")] {
      _ = state.arrive(FlightRequest(key: StableKey(Colliding(id: id))), FlightCaller(name: name))
      _ = state.invalidate(StableKey(Colliding(id: id)))
    }
    #expect(state.callers(of: StableKey(Colliding(id: 1))) == 2)
    #expect(state.withdraw(StableKey(Colliding(id: 1))).withdrawn.map(\.name) == ["b", "d"])
    #expect(state.detached.values.map(\.count) == [2])
    #expect(state.withdraw(StableKey(Colliding(id: 0))).withdrawn.map(\.name) == ["a", "c"])
    #expect(state.detached.isEmpty)
  }

  /// Whatever happened, what is stored is bounded by what is alive, also if no caller ever comes again.
  ///
  /// Fails if: a store never clears the shelf, or clears it of what is still good.
  @Test func expiredResultsDoNotPileUp() {
    var shelf = PrefetchShelf<Int, Int>()
    var (most, gone) = (0, 0)
    for key in 0..<100_000 {
      gone += shelf.store(key, for: StableKey(key), now: .seconds(key), expires: .seconds(key + 100)).count
      most = max(most, shelf.count)
    }
    #expect(most <= 300)
    #expect(gone + shelf.count == 100_000)
    #expect(shelf.alive(now: .seconds(99_999)) == 100)
    #expect(shelf.has(StableKey(99_900), now: .seconds(99_999)))
    let atItsExpiry = shelf.take(StableKey(99_999), now: .seconds(100_099))?.value
    let before = shelf.take(StableKey(99_999), now: .seconds(100_098))?.value
    #expect(atItsExpiry == nil && before == 99_999)
  }

  /// Calls look at each result a few times at most, and find none that half of the others have outlived.
  ///
  /// Fails if: a call clears the shelf each time that something has expired, or only when the last has.
  @Test(arguments: [1, 2, 3, 100, 900]) func callsClearAwayWhatHasExpired(count: Int) {
    var (shelf, clearings, gone) = (PrefetchShelf<Int, Int>(), 0, 0)
    for key in 0..<count {
      gone += shelf.store(key, for: StableKey(key), now: .zero, expires: .seconds(key + 1)).count
    }
    for second in 0...count {
      let cleared = shelf.clearIfDue(now: .seconds(second)).count
      if cleared > 0 { clearings += 1 }
      gone += cleared
      #expect(shelf.count <= max(2 * shelf.alive(now: .seconds(second)), count == 1 ? 0 : 1))
    }
    #expect(gone == count && shelf.count == 0)
    #expect(clearings <= 20)
  }
}
