import CoalescingTasks
import Testing

@testable import SerialTasks

/// What a state of renewals decides where programs of public calls seldom come.
@Suite(.watched) struct RenewingStateTests {
  /// Fails if: a closed value is kept when the last renewal has ended.
  @Test func aClosedValueIsReleasedWithTheLastRenewal() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>()
    guard let renewal = state.begun(RenewalRequest(owner: OwnerOfFlight(owner))) else { return }
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
    guard case .boards(.begins(let old, _)) = state.arrive(request(at: 0), FlightCaller()), old.begin(in: nil),
      case .boards(.begins(let new, _)) = state.arrive(request(at: 2), FlightCaller())
    else {
      Issue.record("two renewals do not run")
      return
    }
    _ = state.land(old, .failure(CancellationError()), now: .seconds(2))
    guard case .boards(.joins(let joined, _, _)) = state.arrive(request(at: 3), FlightCaller()), joined === new else {
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
      guard let renewal = state.begun(RenewalRequest(owner: OwnerOfFlight(owner), now: .seconds(1))) else { return }
      _ = state.land(renewal, .success(Renewed(1, validFor: validity)), now: .seconds(1))
      #expect((state.snapshot(at: .seconds(1_000_000)).remaining != nil) == (validity > .zero))
    }
  }

  /// A value that arrives while a call reads the clock has arrived after the clock was read; only the age of one that was there
  /// before is unknown.
  ///
  /// Fails if: a value that another call has just renewed is renewed again, or one from before the clock was set back is returned.
  @Test func aValueThatArrivesWhileTheClockIsRead() {
    final class Owner {}
    let owner = OwnerOfFlight(Owner())
    var state = RenewingState<Int>()
    _ = state.replace(with: Renewed(7, validFor: .seconds(60)), now: .seconds(5))
    let newest = state.kept?.number
    for seen in [nil, newest] {
      let arrival = state.arrive(RenewalRequest(owner: owner, seen: seen, now: .seconds(4)), FlightCaller())
      switch arrival {
      case .served(let kept): #expect(seen == nil && kept.value == 7)
      case .boards(.begins): #expect(seen == newest)
      default: Issue.record("\(arrival)")
      }
    }
  }

  /// What waits for a renewal does not begin in the pause after the failure of an older one, beside which that runs.
  ///
  /// Fails if: a failure that begins a pause leaves what waits for another renewal waiting, or begins it.
  @Test func aFailureAnswersWhatWaitsForAnotherRenewal() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>(joinWindow: .seconds(2), pauseAfterFailure: .seconds(9))
    func request(_ policy: SharingPolicy, at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: OwnerOfFlight(owner), policy: policy, now: .seconds(seconds))
    }
    let caller = FlightCaller<Renewal<Int>>()
    guard case .boards(.begins(let old, _)) = state.arrive(request(.join, at: 0), FlightCaller()), old.begin(in: nil),
      case .boards(.begins(let new, _)) = state.arrive(request(.join, at: 2), FlightCaller()), new.begin(in: nil),
      case .boards(.follows(let next, _)) = state.arrive(request(.rerun, at: 3), caller)
    else {
      Issue.record("nothing follows")
      return
    }
    _ = state.land(old, .failure(CancellationError()), now: .seconds(3))
    #expect(caller.stage == .granted && !next.begin(in: nil))
    _ = state.land(new, .success(Renewed(1, validFor: .seconds(60))), now: .seconds(3))
    let running = state.renewals.running.count
    #expect(running == 0)
  }

  /// Fails if: what is too old to be joined goes on being joined when a renewal that follows it has begun, or that one is begun
  /// twice.
  @Test func whatFollowsBeginsBesideWhatIsTooOld() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>(joinWindow: .seconds(2))
    func request(_ policy: SharingPolicy, at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: OwnerOfFlight(owner), policy: policy, now: .seconds(seconds))
    }
    guard case .boards(.begins(let old, _)) = state.arrive(request(.join, at: 0), FlightCaller()), old.begin(in: nil),
      case .boards(.follows(let next, _)) = state.arrive(request(.rerun, at: 1), FlightCaller()),
      case .boards(.joins(let joined, _, _)) = state.arrive(request(.join, at: 2), FlightCaller())
    else {
      Issue.record("nothing follows")
      return
    }
    let end = state.renewals.endOfJoining(before: next)
    _ = state.renewals.endJoining(before: next)
    let running = state.renewals.running
    #expect(joined === next && running.map(\.number) == [1, 2] && old.isDetached && !next.isDetached && end == nil)
    _ = state.land(next, .success(Renewed(1, validFor: .seconds(60))), now: .seconds(3))
    #expect(old.phase == .landed)
  }

  /// Fails if: a call that wants a newer value begins a renewal in the pause after a failure, or cancels one.
  @Test(arguments: [SharingPolicy.rerun, .supersede]) func policiesInThePauseAfterAFailure(_ policy: SharingPolicy) {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>(joinWindow: .seconds(2), pauseAfterFailure: .seconds(9))
    func request(_ policy: SharingPolicy, at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: OwnerOfFlight(owner), policy: policy, now: .seconds(seconds))
    }
    guard case .boards(.begins(let old, _)) = state.arrive(request(.join, at: 0), FlightCaller()), old.begin(in: nil),
      case .boards(.begins(let new, _)) = state.arrive(request(.join, at: 2), FlightCaller()), new.begin(in: nil)
    else {
      Issue.record("two renewals do not run")
      return
    }
    _ = state.land(old, .failure(CancellationError()), now: .seconds(3))
    guard case .failed = state.arrive(request(policy, at: 3), FlightCaller()), new.phase == .flying else {
      Issue.record("a renewal begins, or is cancelled")
      return
    }
  }

  /// Fails if: a shutdown takes a renewal that has ended, and whose task is about to end, for one that goes on, or interrupts it; or does
  /// not interrupt one that a value from elsewhere has overtaken.
  @Test(arguments: [false, true]) func whatHasLandedHasEnded(isOvertaken: Bool) {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>()
    guard let renewal = state.begun(RenewalRequest(owner: OwnerOfFlight(owner))) else { return }
    renewal.handle = Task {}
    let value = Renewed(1, validFor: .seconds(60))
    _ = isOvertaken ? state.replace(with: value, now: .zero) : state.land(renewal, .success(value), now: .zero)
    let (step, _) = state.shutDown(Caller(.drainer), withdraws: true, after: nil)
    guard case .waiting(let ahead) = step.arrival, ahead == (isOvertaken ? 1 : 0), step.interruptions == ahead else {
      Issue.record("\(step)")
      return
    }
  }

  /// Fails if: a value from elsewhere does not reach who waits for the next renewal, or that begins all the same, or passes for one that
  /// goes on; or a renewal is begun ahead beside one that waits to begin.
  @Test func aValueFromElsewhereAnswersWhoWaitsForTheNextRenewal() {
    final class Owner {}
    let owner = Owner()
    var state = RenewingState<Int>(renewAhead: .seconds(50), joinWindow: .seconds(2))
    func request(_ policy: SharingPolicy, at seconds: Int) -> RenewalRequest {
      RenewalRequest(owner: OwnerOfFlight(owner), policy: policy, now: .seconds(seconds))
    }
    _ = state.replace(with: Renewed(7, validFor: .seconds(60)), now: .zero)
    let caller = FlightCaller<Renewal<Int>>()
    guard case .renewsAhead(let kept, let ahead) = state.arrive(request(.join, at: 10), FlightCaller()),
      ahead.begin(in: nil), kept.value == 7,
      case .boards(.follows(let next, _)) = state.arrive(request(.rerun, at: 11), caller),
      case .served(let again) = state.arrive(request(.join, at: 12), FlightCaller()), again === kept
    else {
      Issue.record("nothing follows")
      return
    }
    next.handle = Task {}
    _ = state.replace(with: Renewed(8, validFor: .seconds(60)), now: .seconds(12))
    let answer = try? next.answer?.get()
    #expect(caller.stage == .granted && answer == 8 && !next.begin(in: nil) && next.parking!.isRejected)
    #expect(next.handle == nil)
  }
}

extension RenewingState<Int> {
  /// A renewal that a first call leads, and that has begun; otherwise an issue is recorded.
  fileprivate mutating func begun(_ request: RenewalRequest) -> Renewal<Int>? {
    guard case .boards(.begins(let renewal, _)) = arrive(request, FlightCaller()), renewal.begin(in: nil) else {
      Issue.record("nothing is renewed")
      return nil
    }
    return renewal
  }
}
