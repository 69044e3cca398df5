import TestWatch
import Testing

/// What callers share: who leads, joins, follows and replaces, and what each of them gets.
@Suite(.watched) struct SharingTests {
  // MARK: - Flights

  /// Fails if: a policy does anything else to a flight that runs, or its callers get anything else.
  @Test func policiesOfFlights() async {
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a) as y; x ends; one goes on = led x; two goes on = joined x
      other drains profiles ✓; y waits
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a,rerun) as y; three asks profiles(a,rerun) as z; y waits; x checks
      x ends; one goes on = led x; y ends; two goes on = led y; three goes on = joined y; z waits
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a,supersede) as y; x checks ✗ cancelled; y checks
      y ends; one goes on = joined y; two goes on = led y; x ends
      """)
  }

  /// Fails if: a flight that waits begins only when an operation has ended that no caller wants, that is out of date or too old, or
  /// the age of that one is counted from when it came itself.
  @Test(arguments: ["one is cancelled", "z invalidates profiles(a)", "z invalidates profiles", "1 seconds pass"])
  func whatFollowsDoesNotWaitForWhatIsNotWanted(_ step: String) async {
    await Story().tell(
      """
      one asks profiles(a) as x; 2 seconds pass; two asks profiles(a,rerun) as y; 2 seconds pass; y waits; \(step); y goes on
      4 seconds pass; three asks profiles(a); y ends; two goes on = led y; three goes on = joined y
      """)
  }

  /// Fails if: a caller that was carried over leaves the flight that it came to, or does not cancel what it was the last to want; or who
  /// waits for a flight that follows is not carried over.
  @Test func carriedOver() async {
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a,supersede) as y; two is cancelled; two goes on ✗ cancelled; y checks
      one is cancelled; one goes on ✗ cancelled; y checks ✗ cancelled; x checks ✗ cancelled
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a,rerun) as y; three asks profiles(a,supersede) as z
      z ends; one goes on = joined z; two goes on = joined z; three goes on = led z; x ends; y waits
      """)
  }

  /// Fails if: a result that was prefetched before the call answers it, or a later one, or is kept when it comes; or is not kept where
  /// the caller has left.
  @Test(arguments: ["rerun", "supersede"]) func whatWasPrefetchedIsTooOld(_ policy: String) async {
    await Story().tell(
      """
      zero prefetches profiles(a) as x; x ends; other drains profiles ✓; one asks profiles(a,\(policy)) as y; y ends
      one goes on = led y; two asks profiles(a) as z; z ends; two goes on = led z
      """)
    await Story().tell(
      """
      zero prefetches profiles(a) as x; one asks profiles(a,rerun) as y; x ends; y ends; one goes on = led y
      two asks profiles(a) as z; z ends; two goes on = led z
      """)
    await Story().tell(
      """
      zero prefetches profiles(a) as x; one asks profiles(a,rerun) as y; one is cancelled; one goes on ✗ cancelled
      x ends; other drains profiles ✓; two takes profiles(b); two ends; three asks profiles(a) ✓ = prefetched x
      """)
  }

  /// Fails if: an operation waits for one that is to follow it, one that it is replaced by is taken for a deadlock, or who waits for a
  /// flight that follows is not seen to wait for the one before it.
  @Test func policiesInsideFlights() async {
    await Story().tell("one asks profiles(a) as x; x asks profiles(a,rerun) ✗ profiles[a] → profiles[a]")
    await Story().tell(
      """
      one asks profiles(a) as x; x asks profiles(a,supersede) as y ✗ cancelled; y ends; one goes on = joined y
      """)
    await Story().tell(
      """
      one asks profiles(7) as x; two asks profiles(8) as y; x asks profiles(8,rerun) as z
      y asks profiles(7) ✗ profiles[7] → profiles[8] → profiles[7]
      """)
  }

  /// Fails if: `drain()` does not wait for a flight that waits itself, or for what has replaced, not at once, what was accepted before
  /// it; or a closed coalescer loses it.
  @Test(arguments: ["rerun", "supersede"]) func drains(_ policy: String) async {
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a,rerun) as y; profiles closes; other drains profiles
      x ends; one goes on = led x; other waits; y ends; two goes on = led y; other goes on
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; other drains profiles; left drains profiles; left is cancelled; left goes on ✗ cancelled
      two asks profiles(a,\(policy)) as y; three asks profiles(a,supersede) as z
      x ends; \(policy == "rerun" ? "y waits" : "other waits; y ends"); other waits; z ends; other goes on; one goes on = joined z; two goes on = joined z; three goes on = led z
      """)
  }

  /// Fails if: an operation that waits to follow another begins although all its callers have left, or one that has begun is
  /// cancelled, because operations run to their end.
  @Test func whatHasNotBegunDoesNotRunToItsEnd() async {
    await Story().tell(
      """
      one asks logins(a) as x; two asks logins(a,rerun) as y; two is cancelled; two goes on ✗ cancelled
      x ends; one goes on = led x; other drains logins ✓; y waits
      """)
    await Story().tell(
      """
      one asks logins(a) as x; two asks logins(a,rerun) as y; x ends; y checks; two is cancelled; two goes on ✗ cancelled
      other drains logins; y checks; y ends; other goes on
      """)
  }

  /// Fails if: a flight begins that all its callers have left, or that was withdrawn.
  @Test(arguments: [("two is cancelled", "cancelled"), ("zero withdraws profiles(a)", "withdrawn")])
  func whatWaitsNeverBegins(_ step: String, _ why: String) async {
    await Story().tell(
      """
      one asks profiles(a) as x; two asks profiles(a,rerun) as y; \(step); two goes on ✗ \(why)
      x ends; other drains profiles ✓; y waits
      """)
  }

  // MARK: - Loads

  /// Fails if: a policy does anything else to a load that runs, or its callers get anything else, whatever the policy of that load.
  @Test(arguments: ["join", "rerun", "supersede"]) func policiesOfLoads(_ running: String) async {
    await Story().tell(
      """
      one asks screen(\(running)); load1 checks; two asks screen(join); load1 ends
      one goes on = load1; two goes on = load1; screen shows 1
      """)
    await Story().tell(
      """
      one asks screen(\(running)); load1 checks; two asks screen(rerun); three asks screen(join); load2 waits; load1 ends
      one goes on = load1; three goes on = load1; load2 ends; two goes on = load2; screen shows 1 2
      """)
    await Story().tell(
      """
      one asks screen(\(running)); load1 checks; two asks screen(supersede); load2 checks; load1 checks ✗ cancelled
      load2 ends; one goes on = load2; two goes on = load2; load1 ends; other drains screen ✓; screen shows 2
      """)
  }

  /// Fails if: a load that waits goes on without any caller that wants it, or one that has replaced a load for the screen, and one that
  /// was to follow, ends with its callers.
  @Test func loadsThatAreLeft() async {
    await Story().tell(
      """
      one asks screen(join); load1 checks; two asks screen(rerun); three asks screen(rerun)
      two is cancelled; two goes on ✗ cancelled; three is cancelled; three goes on ✗ cancelled
      load1 ends; one goes on = load1; other drains screen ✓; load2 waits; screen shows 1
      """)
    await Story().tell(
      """
      zero requests screen(join); load1 checks; one asks screen(rerun); two asks screen(supersede); load2 checks
      one is cancelled; one goes on ✗ cancelled; two is cancelled; two goes on ✗ cancelled
      load2 checks; load2 ends; load1 checks ✗ cancelled; screen shows 2
      """)
  }

  /// Fails if: a caller that was cancelled before joins, follows or supersedes anything.
  @Test(arguments: ["join", "rerun", "supersede"]) func cancelledBeforeTheCall(_ policy: String) async {
    await Story().tell(
      """
      one asks screen(join); load1 checks; two takes A; two is cancelled; two asks screen(\(policy)) ✗ cancelled
      load1 checks; load1 ends; one goes on = load1; load2 waits; screen shows 1
      """)
  }

  /// Fails if: what was requested before the end does not load, what is after does, or is not reported, or its load waits for itself.
  @Test func closed() async {
    await Story(.heard).tell(
      """
      one asks screen(join); load1 checks; two asks screen(rerun); screen closes; three asks screen(supersede) ✗ closed
      three requests screen(rerun); load1 requests screen(join)
      load1 ends; one goes on = load1; load2 ends; two goes on = load2; other drains screen ✓; screen shows 1 2
      screen: began 0/-/-, waiting -/-/1, rejected 0/-/-, rejected 0/-/-, rejected 0/-/-, finished 0/0/-, began 0/-/-, finished 0/0/-
      """)
  }

  /// Fails if: a superseded load has no end, or two.
  @Test func aSupersededLoadHasOneEnd() async {
    await Story(.heard).tell(
      """
      one asks screen(rerun); load1 checks; two asks screen(supersede); load2 checks; load1 ends
      load2 ends; one goes on = load2; two goes on = load2; other drains screen ✓
      screen: began 0/-/-, began 0/-/-, finished 0/0/-, finished 0/0/-
      """)
  }

  /// Fails if: drain goes on before the load ends that has replaced one that was requested before, or never.
  @Test func drainedLoads() async {
    await Story().tell(
      """
      one asks screen(join); load1 checks; other drains screen; two asks screen(supersede); load2 checks
      load1 ends; other waits; load2 ends; other goes on; one goes on = load2; two goes on = load2; screen shows 2
      """)
  }
}
