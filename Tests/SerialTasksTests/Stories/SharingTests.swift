import TestWatch
import Testing

/// What callers share where programs do not come: policies beside join windows and prefetches, and inside operations.
///
/// Who else leads, joins, follows and replaces, and what each of them gets, is in `policy-programs` and `load-programs`.
@Suite(.watched) struct SharingTests {
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

  /// Fails if: callers of what is stuck wait on, though what began after it has succeeded, or it goes on; or those of what was
  /// invalidated in time get another answer than its own.
  @Test func whoWaitsForWhatIsStuckGetsTheNewerAnswer() async {
    await Story().tell(
      """
      one asks profiles(a) as x; other asks profiles(b) as v; 5 seconds pass; two asks profiles(a) as y; y ends
      two goes on = led y; one goes on = joined y; x checks ✗ cancelled; other waits; v checks
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; 2 seconds pass; two asks profiles(a,rerun) as y; 3 seconds pass; y ends
      two goes on = led y; one goes on = joined y; x checks ✗ cancelled
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; 4 seconds pass; z invalidates profiles(a); two asks profiles(a) as y; 5 seconds pass
      y ends; two goes on = led y; one waits; x checks; x ends; one goes on = led x
      """)
    await Story().tell(
      """
      one asks profiles(a) as x; 5 seconds pass; two asks profiles(a) as y; x ends; one goes on = led x; two waits
      """)
  }

  private static let outOfDate = [
    "z invalidates profiles(a)", "z invalidates profiles", "two asks profiles(a,supersede) as y",
    "one is cancelled; one goes on ✗ cancelled", "z shuts profiles", "5 seconds pass; two asks profiles(a) as y",
  ]

  /// Fails if: an operation may store what is out of date, or may not store what is not; or another than the innermost is asked.
  @Test(.enabled(if: childrenAreCertain), arguments: outOfDate) func whatIsOutOfDateIsNotStored(_ step: String) async {
    await Story().tell(
      """
      one asks profiles(a) as x; x takes A; x forks c; c asks profiles(b) as y; c2 stores profiles = not stored; y stores profiles = stored
      y stores tokens = not stored; z stores profiles = not stored; y ends; c goes on; c stores profiles = stored; \(step)
      c stores profiles = not stored
      """)
  }

  /// Fails if: a call that asks for a renewal not older than itself gets the kept value, or what was begun before it; or others do
  /// not get the kept value.
  @Test func renewalsNotOlderThanTheCall() async {
    await Story().tell(
      """
      one asks token; two asks token(rerun); three asks token(rerun); four asks token; renewal1 ends; one goes on = renewal1
      four goes on = renewal1; two waits; five asks token ✓ = renewal1; renewal2 ends; two goes on = renewal2
      three goes on = renewal2; five asks token(rerun); six asks token ✓ = renewal2; renewal3 ends; five goes on = renewal3
      """)
    await Story().tell(
      """
      one asks token; two asks token(rerun); three asks token(supersede); renewal1 checks ✗ cancelled; renewal2 ends
      one goes on = renewal2; two goes on = renewal2; three goes on = renewal2; four asks token(supersede)
      five asks token ✓ = renewal2; renewal3 ends; four goes on = renewal3
      """)
  }

  /// Fails if: what waits for a renewal that is stuck waits for ever, or its callers do.
  @Test func aRenewalThatFollowsWhatIsStuck() async {
    await Story().tell(
      """
      one asks token; 2 seconds pass; two asks token(rerun); 3 seconds pass; renewal2 ends; two goes on = renewal2
      one goes on = renewal2; three asks token ✓ = renewal2
      """)
    await Story().tell(
      """
      one asks token; two asks token(rerun); two is cancelled; two goes on ✗ cancelled; renewal1 ends; one goes on = renewal1
      other drains token ✓
      """)
  }

  /// Fails if: a renewal waits for one that is to follow it or replaces itself, or who waits for what follows is not seen to wait for
  /// the renewal before it.
  @Test func policiesInsideRenewals() async {
    await Story().tell("one asks token; renewal1 asks token(rerun) ✗ token → token")
    await Story().tell("one asks token; renewal1 asks token(supersede) ✗ token → token; renewal1 checks")
    await Story().tell("one asks token; two takes B; two asks token(rerun); renewal1 asks B ✗ B → token → B")
    await Story().tell("one takes B; two asks token; renewal1 asks B; one asks token(rerun) ✗ token → B → token")
    await Story().tell(
      "one takes B; two asks token; renewal1 asks B; one asks token(supersede); renewal2 ends; one goes on = renewal2")
  }

  /// Fails if: what waits for a renewal is not reported, is reported to hold the value, or its callers are in no report.
  @Test func reportsOfRenewalsThatFollow() async {
    await Story(.heard).tell(
      """
      first asks token; 1 seconds pass; second asks token(rerun); 2 seconds pass; token reports renewal 3 [a job 3, a job 2]
      renewal1 ends; first goes on = renewal1; second waits; renewal2 checks; 1 seconds pass; token reports renewal 1 [a job 3]
      renewal2 ends; second goes on = renewal2
      token: began 0/-/-, waiting -/-/1, finished 0/3/-, began 2/-/-, finished 2/1/-
      """)
  }
}
