import TestWatch
import Testing

/// Waits that would never end: the call that closes the cycle is rejected, and all others go on.
@Suite(.watched) struct DeadlockTests {
  // MARK: - Lines

  /// Fails if: a wait adds no edge, or only to the innermost turn.
  @Test(arguments: [["A", "B"], ["B", "A"]]) func oppositeOrder(_ lines: [String]) async {
    await Story().tell(
      """
      one takes \(lines[0]); two takes \(lines[1])
      one asks \(lines[1])
      two asks \(lines[0]) ✗ \(lines[0]) → \(lines[1]) → \(lines[0])
      two ends; one goes on
      """)
  }

  /// Fails if: only direct waits are looked at.
  @Test func threeExecutorsRound() async {
    await Story().tell(
      """
      one takes A; two takes B; three takes C
      one asks B; two asks C
      three asks A ✗ A → B → C → A
      """)
  }

  /// Fails if: an edge is added for the innermost turn of the caller only.
  @Test func theOuterTurnOfTheCallerThatWaits() async {
    await Story().tell(
      """
      one takes A; one takes B; two takes C
      one asks C
      two asks A ✗ A → C → A
      """)
  }

  /// Fails if: a job of which one child never ends counts as one that ends, because another child does.
  @Test(.enabled(if: childrenAreCertain)) func oneOfTwoChildren() async {
    await Story().tell(
      """
      one takes A; two takes B; three takes C
      one forks b; b asks B; one forks c; c asks C
      two asks A ✗ A → B → A
      """)
  }

  /// Fails if: the end of one child's wait takes the edges of the others with it.
  @Test(.enabled(if: childrenAreCertain)) func aChildThatWaitsOnWhenAnotherHasGoneOn() async {
    await Story().tell(
      """
      holder takes B; other takes C; mine takes A
      mine forks b; b asks B; mine forks c; c asks C
      holder ends; b goes on; b ends
      other asks A ✗ A → C → A
      """)
  }

  /// A wait that its own caller ends counts like any other: the library cannot see the caller's deadline.
  ///
  /// Fails if: the documentation, which says so, is not true any more.
  @Test(.enabled(if: childrenAreCertain)) func aDeadlineOfTheCallersOwnIsNotSeen() async {
    await Story().tell(
      """
      holder takes B; job takes A
      job forks b; b asks B
      holder asks A ✗ A → B → A
      job cancels; b goes on ✗ cancelled
      """)
  }

  /// Fails if: who awaits a value is not looked at.
  @Test func theValueOfAJobBehindOneThatWaitsForMine() async {
    await Story().tell(
      """
      other takes B; mine takes A
      other asks A
      mine submits x to B; mine awaits x ✗ B → A → B
      """)
  }

  /// Fails if: a job may wait for itself, or may not ask for the value of one that has ended.
  @Test func values() async {
    await Story().tell(
      """
      one submits x to A; x awaits x ✗ A → A; x ends
      one takes A; one awaits x ✓
      """)
    await Story(.named).tell("one takes A; one submits two to A; one awaits two ✗ two in A → A → two in A")
    await Story(.named).tell("one submits two to A; two awaits two ✗ two in A → two in A")
    await Story(.named).tell(
      "one takes slot[a]; one submits two to slot[b]; one awaits two ✗ two in slot[b] → slots of slot (1, held by one in slot[a]) → two in slot[b]"
    )
  }

  /// Fails if: only a drain of the executor's own is looked at.
  @Test func drainOfAnotherWhoseJobWaitsForMine() async {
    await Story().tell("other takes B; mine takes A; other asks A; mine drains B ✗ B → A → B")
  }

  /// Fails if: a drain or a pause adds no edge.
  @Test(arguments: ["drains", "pauses"]) func aJobThatWaitsForOneThatDrainsOrPausesIt(_ verb: String) async {
    await Story().tell("other takes B; mine takes A; mine \(verb) B; other asks A ✗ A → B → A")
    await Story().tell("other takes keys[a]; mine takes A; mine \(verb) keys; other asks A ✗ A → keys → keys[a] → A")
  }

  /// Fails if: a job that waits for its own executor with a limit hangs, or is rejected for anything else.
  @Test func aLimitedWaitForItselfIsLate() async {
    await Story().tell("one takes A; one asks A within 1; 1 seconds pass; one goes on ✗ late")
  }

  /// Fails if: the turn of a call with a limit does not know in which turn it is. (Then this hangs.)
  @Test func aLimitedCallInATurn() async {
    await Story().tell("one takes A; one takes B within 1; one asks A ✗ A → B → A")
    await Story().tell("one takes A; one takes B within 1; two takes C; two asks A; one asks C ✗ C → A → B → C")
  }

  /// Fails if: limited waits are edges of the wait graph: a call that leaves by itself closes no cycle, nor does one that waits for it.
  @Test(arguments: [false, true]) func aLimitedWaitClosesNoCycle(comesFirst: Bool) async {
    for place in ["B", "notes(1)"] {
      let steps = ["one asks \(place) within 1", "two asks A"]
      await Story().tell(
        """
        one takes A; two takes \(place == "B" ? "B" : "notes{1}"); \((comesFirst ? steps : steps.reversed()).joined(separator: "; "))
        1 seconds pass; one goes on ✗ late; one ends; two goes on
        """)
    }
  }

  /// Fails if: the wait of a shutdown for what runs is not in the wait graph, or that of an operation that no caller wants is taken to end
  /// by itself. (Then this hangs.)
  @Test func shutdowns() async {
    await Story().tell(
      "one takes B; two takes A; one asks A; two shuts B within 3600; one goes on ✗ cancelled; one ends; two goes on")
    await Story().tell(
      """
      job takes A; one asks profiles(1) as x; job shuts profiles; one goes on ✗ withdrawn; x shuts A ✓; x ends; job goes on
      """)
  }

  // MARK: - Keys and slots

  /// Fails if: a cycle does not name the keys, or a job over several is named by one of them.
  @Test func keys() async {
    await Story().tell("one takes keys[a]; one takes keys[b]; one asks keys[a] ✗ keys[a] → keys[b] → keys[a]")
    await Story().tell("one takes keys[a,b]; one asks keys[b] ✗ keys[b] → keys[b]")
    await Story().tell("one takes keys[a,b]; one takes A; one asks keys[a,b] ✗ keys[a] → A → keys[a]")
    // Those that found their keys free beside another.
    await Story().tell("one takes keys[a]; two takes keys[b]; two asks keys[b] ✗ keys[b] → keys[b]; two takes keys[c]")
    await Story().tell(
      "one takes keys[a]; two takes keys[b]; three takes keys[c]; two asks keys[c]; three asks keys[b] ✗ keys[b] → keys[c] → keys[b]"
    )
  }

  /// Fails if: a drain of all keys does not name the innermost key that its caller is in.
  @Test func aDrainOfAllKeysFromInsideTwo() async {
    await Story().tell("one takes keys[a]; one takes A; one takes keys[b]; one drains keys ✗ keys → keys[b] → keys")
  }

  /// Fails if: any job of any executor is taken for one of this executor's, or of this key's.
  @Test func drainFromInsideAJobOfAnother() async {
    await Story().tell(
      """
      holder takes keys[a]; other takes slots[a]
      other drains keys
      holder ends; other goes on; other drains keys[b] ✓
      one takes keys[a]; one drains keys[b] ✓
      """)
    // What begins later is not drained.
    await Story().tell(
      """
      job takes A; one asks profiles(1) as x; job drains profiles; two asks profiles(2) as y; y asks A; y waits
      x ends; one goes on; job goes on; job ends; y goes on
      """)
  }

  /// Fails if: the path ends before it leads back, because two of its waits have one name.
  @Test func twoWaitsOfOneName() async {
    await Story().tell(
      """
      one takes A; one submits outer to keys[]; one awaits outer
      outer submits inner to keys[]; inner asks A
      outer awaits inner ✗ keys → A → keys → keys
      """)
  }

  /// Fails if: the path names all keys that a call has asked for, and not those at which the jobs meet.
  @Test func onlyTheKeysAtWhichJobsMeetAreNamed() async {
    await Story().tell(
      """
      other takes keys[y,z]; one takes keys[x]
      other asks keys[p,x]
      one asks keys[v,y] ✗ keys[y] → keys[x] → keys[y]
      """)
  }

  /// Fails if: a call inside a turn is taken to have a slot that it returns. (Then this hangs.)
  @Test(.enabled(if: childrenAreCertain)) func aReadInsideTheOneThatHasTheSlot() async {
    await Story().tell(
      """
      read takes single(1); read forks inner; inner takes single(2)
      job takes A; read asks A
      job asks single(3) ✗ single[3] → slots of single (1, held by single[1]) → A → single[3]
      """)
  }

  /// Fails if: what needs no slot is taken to wait for jobs that run alone, although those between wait for a slot. (Then this
  /// hangs.)
  @Test func aWriteBehindAReadThatWillLackASlot() async {
    await Story().tell(
      """
      read takes single(2); write takes single{1}; behind asks single(1)
      job takes A; read asks A
      job asks single{1} ✗ single[1] → slots of single (1, held by single[2]) → A → single[1]
      """)
  }

  /// Fails if: a call inside a turn that closes a cycle of others is not looked for. (Then this hangs.)
  @Test func aCallInATurnThatGoesBeforeAWaitingJob() async {
    await Story().tell(
      """
      three takes keys[3]; five takes keys[5]; job takes A; job asks keys[1,5]
      three asks A
      seven takes keys[7]; seven asks keys[1,3] ✗ keys[3] → A → keys[1] → keys[3]
      """)
  }

  /// Fails if: a job is taken to wait on a key only for what runs there, though a job of several keys stands between, or a call inside a
  /// turn, which waits elsewhere too. (Then this hangs.)
  @Test func behindAJobThatWaitsElsewhere() async {
    await Story().tell(
      """
      first takes keys[x,w]; other takes keys[y]; between asks keys[x,y]
      other submits last to keys[x,v]; other awaits last ✗ keys[x] → keys[y] → keys[x]
      """)
    await Story().tell(
      """
      first takes keys[x]; other takes keys[y]; between takes keys[z]; between asks keys[x,y]
      other submits last to keys[x]; other awaits last ✗ keys[x] → keys[y] → keys[x]
      """)
  }

  // MARK: - Reads and writes

  /// Fails if: reads are not taken for those who have the turn, or only the first of them is looked at.
  @Test func writesBehindReads() async {
    await Story().tell("read takes notes(1); job takes A; job asks notes; read asks A ✗ A → notes → notes[1] → A")
    await Story().tell(
      """
      one takes notes(1); two takes notes(2); job takes A; two asks A
      job asks notes ✗ notes → notes[2] → A → notes
      """)
  }

  /// Fails if: a read is taken for one that leaves, because one of its callers does, the first or a later one. (Then this hangs.)
  @Test(arguments: [[" within 1000", ""], ["", " within 1000"]]) func aReadThatSomeOfItsCallersLeave(_ limits: [String])
    async
  {
    await Story().tell(
      """
      read takes single(1); one asks single(2)\(limits[0]); two asks single(2)\(limits[1])
      job takes A; read asks A
      job asks single{2} ✗ single[2] → slots of single (1, held by single[1]) → A → single[2]
      """)
    await Story().tell(
      """
      read takes single(1); one asks single(2)\(limits[0]); two asks single(2)\(limits[1])
      job takes A; job asks single{2}
      read asks A ✗ A → single[2] → slots of single (1, held by single[1]) → A
      """)
  }

  /// The wait for read 3 is no deadlock while read 2 does not wait; then it would be one.
  ///
  /// Fails if: who waits for room is taken to wait for each of those that run; or the search follows a wait twice.
  @Test func aReadThatWaitsForRoom() async {
    await Story().tell(
      """
      one takes pair(1); two takes pair(2); job takes A
      one asks A; job asks pair(3)
      two asks A ✗ A → pair[3] → slots of pair (2, held by pair[1], pair[2]) → A
      """)
  }

  /// All of these end when the holder does, which waits for nothing.
  ///
  /// The wait of `y` ends by that of `x`, and which of them is found first depends on which began first.
  ///
  /// Fails if: the search drops waits in one round only.
  @Test(arguments: [["x", "y"], ["y", "x"]]) func aWaitThatEndsByAnother(_ order: [String]) async {
    for _ in 0..<5 {
      await Story().tell(
        """
        holder takes B; \(order[0]) takes notes(0); \(order[1]) takes notes(1)
        x takes C; x asks B; y asks C
        one takes pair(1); other takes pair(2); other asks notes
        job takes A; job asks pair(3); one asks A
        holder ends; x goes on
        """)
    }
  }

  /// A read with a limit that has begun is not limited any more, so its caller waits for certain.
  ///
  /// Fails if: the caller of such a read is no edge when the read runs (then this hangs).
  @Test func aLimitedReadThatHasBegun() async {
    await Story().tell(
      """
      holder takes notes; job takes A; job asks notes(1) within 3600
      holder ends; job goes on; job asks A ✗ A → notes[1] → A
      """)
  }

  /// Fails if: only the first step from a replaced write to the newest is followed. (Then this hangs.)
  @Test func awaitingAWriteThatWasReplacedTwice() async {
    await Story().tell(
      """
      one takes notes; one submits x to notes{a} as draft; one submits y to notes{a} as draft
      one submits z to notes{a} as draft; one awaits x ✗ notes[a] → notes → notes[a]
      """)
  }

  // MARK: - Flights, loads and renewals

  /// Fails if: only flights that the caller's own chain has are looked at before joining, or joining adds no edge.
  @Test func flights() async {
    await Story().tell(
      "flight takes profiles(7); job takes A; flight asks A; job asks profiles(7) ✗ profiles[7] → A → profiles[7]")
    await Story().tell(
      "flight takes profiles(7); job takes A; job asks profiles(7); flight asks A ✗ A → profiles[7] → A")
    await Story().tell(
      """
      one takes profiles(1); two takes profiles(2)
      one asks profiles(2); two asks profiles(1) ✗ profiles[1] → profiles[2] → profiles[1]
      """)
  }

  /// Fails if: who drains is not seen to wait for the newest operation, or who was carried over for the operation that it came to.
  @Test func drainedAndReplacedFlights() async {
    await Story().tell(
      "one takes profiles(7); two takes tokens(1); two drains profiles; one asks tokens(1) ✗ tokens[1] → profiles → tokens[1]"
    )
    await Story().tell(
      "one takes tokens(1); one takes profiles(7); two takes profiles(7,supersede); two asks tokens(1) ✗ tokens[1] → profiles[7] → tokens[1]"
    )
  }

  /// Fails if: an operation is rejected that asks for its own key anew, when its flight was invalidated or is too old to be joined.
  @Test(arguments: ["one invalidates profiles(7)", "6 seconds pass"]) func itsOwnKeyAnew(_ step: String) async {
    await Story().tell("one takes profiles(7); \(step); one takes profiles(7)")
  }

  /// Fails if: callers that hold turns are not in the wait graph, or with the load that they wait behind.
  @Test(arguments: ["join", "rerun"]) func aJobThatTheLoadWaitsFor(_ policy: String) async {
    await Story().tell(
      """
      one asks screen(join); job takes A; job asks screen(\(policy))
      load1 asks A ✗ A → screen → A; load1 ends; one goes on
      """ + (policy == "rerun" ? "\nload2 asks A ✗ A → screen → A; load2 ends; job goes on" : "\njob goes on"))
  }

  /// Fails if: a job is rejected because of a load that it does not wait for, but ends.
  @Test func aJobThatTheLoadWaitsForSupersedesIt() async {
    await Story().tell(
      """
      job takes A; first asks screen(join); load1 asks A
      job asks screen(supersede); load2 ends; job goes on; first goes on
      """)
  }

  /// Fails if: a rejected caller has superseded what runs, or a load may not request another, for which it does not wait.
  @Test func whatALoadAsksOfItsScreen() async {
    await Story().tell(
      """
      one asks screen(join); load1 asks screen(supersede) ✗ screen → screen
      load1 requests screen(rerun); load1 requests screen(join); load1 ends; one goes on; load2 ends
      """)
  }

  /// Fails if: a load that was superseded waits for itself in a shutdown. (Then this hangs.)
  @Test(.enabled(if: childrenAreCertain)) func aSupersededLoadThatShutsDown() async {
    await Story().tell(
      "one asks screen(join); load1 forks x; two asks screen(supersede); load2 ends; two goes on; x shuts screen ✓")
  }

  /// Fails if: a renewal that is too old to be joined starts one of its own value, a caller that holds turns waits without being in the
  /// graph, or two values that need each other wait for each other. (Then this hangs.)
  @Test func renewals() async {
    await Story().tell("one asks token; renewal1 forks x; 6 seconds pass; renewal1 asks token ✗ token → token")
    await Story().tell("one takes A; one asks token; renewal1 asks A ✗ A → token → A")
    await Story().tell("one asks token; renewal1 asks session; login1 asks token ✗ token → session → token")
  }

  // MARK: - No deadlocks

  /// Fails if: the marker that is copied into such a task is taken for certain.
  @Test func anUnstructuredTaskThatAJobStarts() async {
    await Story().tell("one takes A; one starts x; x asks A; one ends; x goes on; x takes B")
  }

  /// Fails if: a marker that outlives its job makes an edge of the job that has the turn now.
  @Test func aTaskThatOutlivesItsJob() async {
    await Story().tell("one takes A; one starts x; one ends; two takes A; holder takes B; x asks B; holder asks A")
  }

  /// Fails if: coming to the same holder twice is taken for a cycle.
  @Test(.enabled(if: childrenAreCertain)) func aDiamond() async {
    await Story().tell(
      """
      holder takes B; one takes A; one asks B; two takes C; two asks B
      top takes D; top forks left; left asks A; top forks right; right asks C
      """)
  }

  /// Fails if: a wait that was granted leaves its edge behind, and that counts.
  @Test func aWaitThatEndedByAGrant() async {
    await Story().tell(
      "holder takes B; one takes A; one asks B; holder ends; one goes on; one ends; other takes B; other asks A")
  }

  /// Fails if: a wait that was left leaves its edge behind, and that counts; or a caller that has left a flight ties its executor to it.
  @Test(.enabled(if: childrenAreCertain), arguments: ["B", "profiles(7)"]) func aWaitThatEndedByLeaving(_ place: String)
    async
  {
    await Story().tell(
      """
      holder takes \(place); job takes A; job forks x; x asks \(place)
      job cancels; x goes on ✗ cancelled; holder asks A
      """)
  }
}
