import CoalescingTasks
import Testing

/// Explores every sequence of events up to a length, and holds the state against a model that is too simple to be wrong.
///
/// Three callers, thirteen events; a step of the clock takes a value into its last second, or past its end, and a renewal past the
/// join window. Longer histories are drawn.
@Suite(.watched) struct RenewingStateTests {
  /// Fails if: a value is returned that is past its validity, was rejected or is older than another, one that is valid is not
  /// returned, a renewal is started where one can be joined, or not where it must be, a caller is answered twice, never or by
  /// an older renewal, a failure is kept or not kept for its time, or anything of a renewal is left after `clear`, before a value from
  /// elsewhere, or once all is closed.
  @Test(arguments: [.init(), .init(joinWindow: 1), .init(pauseAfterFailure: 1)] as [RenewingModel.Settings])
  func everyShortHistoryAgreesWithTheModel(settings: RenewingModel.Settings) {
    #if DEBUG
      // As of a coalescer.
      let longest = 5
    #else
      let longest = 6
    #endif
    let explored = explore(upTo: longest, RenewingModel(settings)) { RenewingRun(settings) }
    #expect(explored > (longest == 6 ? 100_000 : 10_000))
  }

  /// The same for histories long enough for renewals that overtake each other and for values that follow values.
  ///
  /// Fails if: a renewal that was overtaken replaces the newer value, or any of the above.
  @Test(
    arguments: [
      .init(), .init(joinWindow: 1), .init(joinWindow: 2, pauseAfterFailure: 2), .init(pauseAfterFailure: 1),
    ] as [RenewingModel.Settings])
  func drawnHistoriesAgreeWithTheModel(settings: RenewingModel.Settings) {
    let ends = draw(5_000, of: 20, RenewingModel(settings)) { RenewingRun(settings) }
    // A value from elsewhere overtakes too.
    #expect(ends.contains { $0.renewals.contains { $0.stage == .overtaken } })
  }

  /// A caller reads the clock, another thread lands a renewal, and only then does the caller ask.
  ///
  /// Fails if: a value that came after the clock was read is taken for one of unknown age, and renewed at once.
  @Test func aReadingOfTheClockMayBeOlderThanTheValue() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>()
    func request(at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: ObjectIdentifier(owner), now: .seconds(seconds))
    }
    guard case .leads(let renewal) = state.arrive(request(at: 5), Waiter()) else {
      Issue.record("nothing is renewed")
      return
    }
    _ = state.begin(renewal)
    _ = state.land(renewal, .success(Renewed(1, validFor: .seconds(60))), now: .seconds(10))
    var late = request(at: 9)
    guard case .asksForTheTime(let seen) = state.arrive(late, Waiter()) else {
      Issue.record("the time is not asked for")
      return
    }
    late.seen = seen
    late.now = .seconds(11)
    guard case .served(1) = state.arrive(late, Waiter()) else {
      Issue.record("a fresh value is not returned")
      return
    }
    late.now = .seconds(9)
    guard case .leads = state.arrive(late, Waiter()) else {
      Issue.record("a value of unknown age is returned")
      return
    }
  }

  /// Fails if: during the pause after a failure, a caller is given the error although a newer renewal runs that it may join.
  @Test func aFailureBesideARenewalThatRuns() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>(joinWindow: .seconds(2), pauseAfterFailure: .seconds(2))
    func request(at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: ObjectIdentifier(owner), now: .seconds(seconds))
    }
    guard case .leads(let old) = state.arrive(request(at: 0), Waiter()), case .run = state.begin(old),
      case .leads(let new) = state.arrive(request(at: 2), Waiter())
    else {
      Issue.record("two renewals do not run")
      return
    }
    _ = state.land(old, .failure(CancellationError()), now: .seconds(2))
    guard case .joined(let joined, _) = state.arrive(request(at: 3), Waiter()), joined === new else {
      Issue.record("the newer renewal is not joined")
      return
    }
    // It cannot be joined any more, and nothing is begun.
    _ = state.land(new, .failure(CancellationError()), now: .seconds(3))
    guard case .failed = state.arrive(request(at: 4), Waiter()) else {
      Issue.record("the error is not kept")
      return
    }
  }

  /// Fails if: a validity that is out of reach overflows, or one below zero leaves anything valid.
  @Test func aValidityBeyondAllReach() {
    final class Owner {}
    let owner = Owner()
    for validity in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
      var state = RenewingState<Int>(renewAhead: .seconds(Int64.max))
      let request = RenewalRequest(owner: ObjectIdentifier(owner), now: .seconds(1))
      guard case .leads(let renewal) = state.arrive(request, Waiter()) else {
        Issue.record("nothing is renewed")
        return
      }
      _ = state.begin(renewal)
      _ = state.land(renewal, .success(Renewed(1, validFor: validity)), now: .seconds(1))
      #expect((state.snapshot(at: .seconds(1_000_000)).remaining != nil) == (validity > .zero))
    }
  }
}
