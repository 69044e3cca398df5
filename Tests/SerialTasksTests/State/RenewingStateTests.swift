import CoalescingTasks
import Testing

/// What a state of renewals decides where programs of public calls seldom come.
@Suite(.watched) struct RenewingStateTests {
  /// Fails if: a closed value is kept when the last renewal has ended.
  @Test func aClosedValueIsReleasedWithTheLastRenewal() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>()
    guard case .leads(let renewal) = state.arrive(RenewalRequest(owner: OwnerOfFlight(owner)), FlightCaller()),
      case .run = state.begin(renewal, in: nil)
    else {
      Issue.record("nothing is renewed")
      return
    }
    _ = state.close()
    _ = state.land(renewal, .success(Renewed(1, validFor: .seconds(60))), now: .zero)
    let kept = state.kept?.value
    #expect(kept == nil)
  }

  /// Fails if: during the pause after a failure, a caller is given the error although a newer renewal runs that it may join.
  @Test func aFailureBesideARenewalThatRuns() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>(joinWindow: .seconds(2), pauseAfterFailure: .seconds(2))
    func request(at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: OwnerOfFlight(owner), now: .seconds(seconds))
    }
    guard case .leads(let old) = state.arrive(request(at: 0), FlightCaller()), case .run = state.begin(old, in: nil),
      case .leads(let new) = state.arrive(request(at: 2), FlightCaller())
    else {
      Issue.record("two renewals do not run")
      return
    }
    _ = state.land(old, .failure(CancellationError()), now: .seconds(2))
    guard case .joined(let joined, _) = state.arrive(request(at: 3), FlightCaller()), joined === new else {
      Issue.record("the newer renewal is not joined")
      return
    }
    // It cannot be joined any more, and nothing is begun.
    _ = state.land(new, .failure(CancellationError()), now: .seconds(3))
    guard case .failed = state.arrive(request(at: 4), FlightCaller()) else {
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
      let request = RenewalRequest(owner: OwnerOfFlight(owner), now: .seconds(1))
      guard case .leads(let renewal) = state.arrive(request, FlightCaller()) else {
        Issue.record("nothing is renewed")
        return
      }
      _ = state.begin(renewal, in: nil)
      _ = state.land(renewal, .success(Renewed(1, validFor: validity)), now: .seconds(1))
      #expect((state.snapshot(at: .seconds(1_000_000)).remaining != nil) == (validity > .zero))
    }
  }
}
