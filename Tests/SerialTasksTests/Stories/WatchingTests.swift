import TestWatch
import Testing

/// What is reported, and when: events, turns that are too long, and who holds and waits in a report.
@Suite(.watched) struct WatchingTests {
  // MARK: - Events

  /// Fails if: jobs of other keys count as ahead, or the keys of a set are added up; or a job that lacks a slot has none ahead.
  @Test func eventsOfKeys() async {
    await Story(.heard).tell(
      """
      ann takes keys[a]; bob takes keys[b]; 1 seconds pass; second asks keys[a]; both asks keys[b,a]
      2 seconds pass; ann ends; bob ends; second goes on; second ends; both goes on; both ends
      ann: began 0/-/-, finished 0/3/-
      second: waiting -/-/1, began 2/-/-, finished 2/0/-
      both: waiting -/-/2, began 2/-/-, finished 2/0/-
      x takes slot[a]; y asks slot[b]; y: waiting -/-/1
      """)
    await Story(.heard).tell("one takes slots[a]; slots pauses; two asks slots[b]; two: waiting -/-/0")
  }

  /// Fails if: the jobs that a nested read goes before stand ahead of it, or those behind a write ahead of what takes its place.
  @Test(.enabled(if: childrenAreCertain)) func jobsAhead() async {
    await Story(.heard).tell(
      """
      write takes notes{1}; a asks notes{1}; b asks notes{1}
      one takes notes{2}; one forks inner; inner asks notes(1); inner: waiting -/-/1
      """)
    await Story(.heard).tell(
      """
      write takes notes; one submits older to notes{1} as text; a asks notes{2}; b asks notes{2}
      one submits newer to notes{1} as text; newer: waiting -/-/1
      """)
    await Story(.heard).tell(
      """
      write takes notes{1}; other takes notes{2}; one submits older to notes{1} as text; a asks notes{2}
      one submits newer to notes{1} as text; newer: waiting -/-/1
      """)
  }

  /// Fails if: a caller or a handle that leaves does not say how long it has waited, or the last not that the read never begins; or the
  /// time of a flight is another clock's, or a caller's wait is the flight's.
  @Test func whoLeaves() async {
    await Story(.heard).tell(
      """
      holder takes notes; one submits first to notes(a); one submits second to notes(a); caller asks notes(a)
      3 seconds pass; caller is cancelled; caller goes on ✗ cancelled; second is cancelled; first is cancelled
      caller: joined -/-/-, left 3/-/-
      second: joined -/-/-, left 3/-/-
      first: waiting -/-/1, left 3/-/-, rejected 3/-/-
      """)
    await Story(.heard).tell(
      """
      first takes profiles(7); 2 seconds pass; second asks profiles(7); 3 seconds pass
      second is cancelled; second goes on ✗ cancelled; first ends; first goes on
      first: began 0/-/-, finished 0/5/-
      second: joined -/-/-, left 3/-/-
      """)
  }

  /// Fails if: a load that follows another does not say how long it waited, or counts itself among those ahead; or a renewal's time is
  /// not measured.
  @Test func loadsAndRenewals() async {
    await Story(.heard).tell(
      """
      one requests screen(rerun); load1 forks x; 1 seconds pass; second asks screen(rerun); 2 seconds pass
      x ends; load1 ends; load1 ends; load2 ends; second goes on
      screen: began 0/-/-, waiting -/-/1, finished 0/3/-, began 2/-/-, finished 2/0/-
      """)
    await Story(.heard).tell(
      """
      first asks token; 1 seconds pass; second asks token; 2 seconds pass
      second is cancelled; second goes on ✗ cancelled; renewal1 ends; first goes on
      token: began 0/-/-, joined -/-/-, left 2/-/-, finished 0/3/-
      """)
  }

  /// Fails if: a read without time to wait joins one that waits, and leaves it again.
  @Test func aReadThatWaitsIsNotJoinedWithoutTime() async {
    await Story(.heard).tell(
      "holder takes notes; first asks notes(1); late asks notes(1) within 0 ✗ late; late: rejected 0/-/-")
  }

  // MARK: - Turns that are too long

  private let limited = Story.Settings(isNamed: true, isHeard: true, turnLimit: 10)

  /// Fails if: a turn is reported too early, twice, without those behind it, or the next one not at all.
  @Test func eachTurnOnce() async {
    await Story(limited).tell(
      """
      one takes A; two asks A; 9 seconds pass; one: began 0/-/-; 1 seconds pass
      one: began 0/-/-, heldTooLong 0/10/1
      10 seconds pass; one ends; one: began 0/-/-, heldTooLong 0/10/1, finished 0/20/-
      two goes on; 10 seconds pass; two: waiting -/-/1, began 20/-/-, heldTooLong 20/10/0
      """)
  }

  /// Fails if: the turns of keys that run beside each other are taken for one, or that of one is not reported.
  @Test func turnsOfKeys() async {
    await Story(limited).tell(
      """
      one takes keys[a]; 4 seconds pass; two takes keys[b,c]; x asks keys[c]; y asks keys[c]
      6 seconds pass; one: began 0/-/-, heldTooLong 0/10/2
      4 seconds pass; two: began 0/-/-, heldTooLong 0/10/2
      """)
  }

  /// Fails if: the report does not name the caller that was started in the turn and waits for it, or one that has left, is a stranger,
  /// waits for another key, or was started in a turn that has ended.
  @Test func whatWasStartedInTheTurn() async {
    await Story(limited).tell(
      """
      one takes A; one starts left; left asks A; left is cancelled; left goes on ✗ cancelled
      one starts inner; inner asks A; stranger asks A; 10 seconds pass
      one: began 0/-/-, heldTooLong 0/10/2 inner
      """)
    await Story(limited).tell(
      """
      holder takes keys[b]; one takes keys[a]; one starts other; other asks keys[b]; one starts inner; inner asks keys[a]
      10 seconds pass; holder: began 0/-/-, heldTooLong 0/10/2; one: began 0/-/-, heldTooLong 0/10/2 inner
      """)
    await Story(limited).tell(
      """
      one takes notes(1); one starts inner; inner asks notes(1); 10 seconds pass
      one: began 0/-/-, heldTooLong 0/10/0 inner
      """)
    await Story(limited).tell(
      """
      one takes A; other submits two to A; one starts inner; inner asks A; one ends; two goes on; 10 seconds pass
      two: waiting -/-/1, began 0/-/-, heldTooLong 0/10/1
      """)
  }

  /// Fails if: a limit on turns says nothing to an executor without a handler: how long a turn is held, or that it is too long; or it
  /// says so of a turn that has ended, or of a shorter one.
  @Test func aLimitWithoutAHandler() async {
    let limited = Story.Settings(isNamed: true, turnLimit: 10)
    await Story(limited).tell(
      """
      one takes A; 9 seconds pass; A reports one 9 []; two asks A; 1 seconds pass; A reports one 10! [two 1]
      one ends; two goes on; 3 seconds pass; A reports two 3 []; two ends; A reports
      """)
    await Story(limited).tell(
      """
      one takes keys[a]; other submits two to keys[b]; 9 seconds pass; two ends; three takes keys[b]; 1 seconds pass
      keys reports [a]one 10! [] | [b]three 1 []
      """)
    await Story(limited).tell(
      "one asks notes(a) as x; two asks notes{a}; 10 seconds pass; notes reports [a]one 10! [one 10, two 10]")
  }

  // MARK: - Reports

  /// Fails if: jobs that wait for the end of a pause, or callers of `drain`, are left out; or a job that found its executor free, or
  /// what lacks a slot is with no turn, or behind one of two.
  @Test func reports() async {
    await Story(.named).tell("A pauses; job asks A; other drains A; 3 seconds pass; A reports - [job 3, drain() 3]")
    await Story(.named).tell("one takes A; other pauses A; 1 seconds pass; A reports one ? [pauseAndWait() 1]")
    await Story(.named).tell(
      """
      one takes keys[a]; keys reports [a]one ? []; two asks keys[a]; 2 seconds pass; keys reports [a]one ? [two 2]
      one ends; two goes on; two ends; keys reports
      """)
    await Story(.named).tell(
      """
      one takes slot[a]; two asks slot[b]; three drains slot[a]; 2 seconds pass; slot reports [a]one ? [two 2, drain() 2]
      """)
    await Story(.named).tell(
      """
      one takes slots[a]; two takes slots[c]; three asks slots[b]
      slots reports [a]one ? [] | [c]two ? [] | - [three 0]
      """)
  }

  /// Fails if: a flight, a load or a renewal is not there, or does not have its callers; or those of one that was invalidated are not
  /// there, or are those of the one that came after.
  @Test func reportsOfFlights() async {
    for settings in [Story.Settings.heard, .named] {
      await Story(settings).tell(
        """
        one takes profiles(a); 1 seconds pass; two asks profiles(a); 1 seconds pass
        profiles reports [a]one 2 [one 2, two 1]
        x invalidates profiles(a); three takes profiles(a); 1 seconds pass
        profiles reports [a]one 3 [one 3, two 2] | [a]three 1 [three 1]
        one ends; one goes on; three ends; three goes on; profiles reports
        """)
    }
    await Story(.heard).tell(
      """
      x requests screen(join); load1 forks y; 1 seconds pass; one asks screen(rerun); 1 seconds pass
      screen reports join 2 [rerun 1]
      """)
    await Story(.named).tell(
      "one asks token; 1 seconds pass; token reports renewal 1 [a job 1]; renewal1 ends; one goes on; token reports")
  }

  /// What is shut down and does not end is a hang that only the report can explain.
  ///
  /// Fails if: an operation that no caller wants any more is not there, or who waits for its end is not, or one is that has left; or who
  /// waits on after a limit does not say since when.
  @Test(arguments: [true, false]) func whatDoesNotEnd(_ isHeard: Bool) async {
    await Story(isHeard ? .heard : .named).tell(
      """
      one asks profiles(a) as x; 1 seconds pass; one is cancelled; one goes on ✗ cancelled
      two drains profiles; 2 seconds pass; three shuts profiles
      four drains profiles; four is cancelled; four goes on ✗ cancelled; 1 seconds pass
      profiles reports [a]one \(isHeard ? "4" : "?") [] | - [drain() 3, drain() 1]
      x ends; two goes on; three goes on; profiles reports
      """)
    await Story(isHeard ? .heard : .named).tell(
      """
      other requests screen(supersede); load1 forks x; 2 seconds pass; one asks screen(supersede); load2 ends; one goes on
      two drains screen; 1 seconds pass; screen reports supersede 3 [] | - [drain() 1]
      x ends; load1 ends; load1 ends; two goes on; screen reports
      """)
    await Story(isHeard ? .heard : .named).tell(
      """
      one asks profiles(a) as x; two shuts profiles within 2; 2 seconds pass; one goes on ✗ withdrawn; 1 seconds pass
      profiles reports [a]one \(isHeard ? "3" : "?") [] | - [drain() 1]; x ends; two goes on; profiles reports
      """)
  }
}
