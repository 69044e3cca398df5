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
}
