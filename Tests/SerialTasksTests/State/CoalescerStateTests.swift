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
    #expect(gone == count && shelf.isEmpty)
    #expect(clearings <= 20)
  }
}
