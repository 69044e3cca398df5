import TestWatch
import Testing

/// What is asked for inside a turn of the same executor: it goes before what has not begun, and waits for what runs.
@Suite(.watched) struct InsideTests {
  /// Fails if: a read in a write queues, or is shared with a caller outside; or one in a read queues behind a write that waits.
  @Test(arguments: ["notes", "notes(a)", "single(a)"]) func readsRunAtOnce(_ outer: String) async {
    let name = outer.prefix { $0 != "(" }
    await Story().tell(
      """
      one takes \(outer); write asks \(name); other asks \(name)(b)
      one takes \(name)(b); one takes \(name)(b); one takes \(name)(a)
      """)
  }

  /// Fails if: only the very task that has the turn is taken for being inside. (Then this hangs.)
  @Test(.enabled(if: childrenAreCertain), arguments: ["notes", "notes(a)"]) func readsInChildTasks(_ outer: String)
    async
  {
    await Story().tell(
      """
      one takes \(outer); write asks notes
      one forks x; x takes notes(b); one forks y; y forks z; z takes notes(b)
      """)
  }

  /// Fails if: a read in a turn runs beside a write in another that came before it, or waits for that although it has no time to.
  @Test func callsInTurnsKeepTheirOrder() async {
    await Story().tell(
      """
      holder takes notes(1); write takes notes{2}; write asks notes{1}
      late takes notes{3}; late asks notes(1) within 0 ✗ late
      read takes notes{4}; read asks notes(1)
      holder ends; write goes on; read waits; write ends; read goes on
      """)
  }

  /// Fails if: a read that is being cancelled, or that its last caller has left, is joined while it runs.
  @Test(arguments: ["one is cancelled; one goes on ✗ cancelled", "notes withdraws"]) func aReadThatIsToEndIsNotJoined(
    _ step: String
  ) async {
    await Story().tell("one asks notes(a) as x; \(step); x checks ✗ cancelled; two takes notes(a); two ends; x ends")
  }

  /// Fails if: what only waits for a read waits on when the last handle of that has left. (Then this hangs.)
  @Test func whatWaitsBehindAReadThatLeaves() async {
    await Story().tell(
      "holder takes single(b); one submits read to single(a); write asks single{a}; read is cancelled; write goes on")
  }

  /// Fails if: a write that has begun is replaced, or a read that waits, or a write of another key, keeps one from being replaced.
  @Test func theLatestWrite() async {
    await Story().tell(
      """
      one submits x to notes{a} as draft; x checks; one submits y to notes{a} as draft; y waits; read asks notes(a)
      one submits other to notes{b}; one submits none to notes{}; one submits z to notes{a} as draft
      x ends; z goes on; y waits; z ends; read goes on
      """)
  }

  /// Fails if: a call inside a job stands behind what came before it, counts against the capacity, is held back by a pause or rejected
  /// by `close()`; or a job that is submitted there is none of that.
  @Test(arguments: [("tight", "[a]", "[b]"), ("small", "{a}", "{b}"), ("small", "{a}", "(b)")])
  func callsInAJobGoFirst(_ name: String, _ outer: String, _ inner: String) async {
    let (other, third) = outer == "[a]" ? (name + "[b]", name + "[c]") : (name + "{b}", name + "{c}")
    let (outer, inner) = (name + outer, name + inner)
    await Story().tell(
      """
      holder takes \(other); x asks \(other); y asks \(other) ✗ full
      one takes \(outer); one submits z to \(inner); one awaits z ✗ full
      two takes \(third); one asks \(inner); two asks \(inner)
      holder ends; one goes on; one ends; two goes on; x waits; two ends; x goes on
      """)
    await Story().tell(
      """
      one takes \(outer); \(name) pauses; x asks \(other); one takes \(inner); one ends; one ends; x waits
      \(name) resumes; x goes on
      """)
    await Story().tell(
      """
      one takes \(outer); \(name) closes; x asks \(other) ✗ closed; one submits z to \(inner); one awaits z ✗ closed
      one takes \(inner); one ends; one ends
      """)
    await Story().tell(
      """
      holder takes \(other); x asks \(other); one takes \(outer); \(name) withdraws; x goes on ✗ withdrawn
      x asks \(other); one submits z to \(inner); holder ends; x goes on; one awaits z ✗ full
      """)
  }

  /// Fails if: a cancelled task reads all the same inside a turn.
  @Test func aCancelledTaskReadsNothing() async {
    await Story().tell("one takes notes; one is cancelled; one asks notes(a) ✗ cancelled")
  }

  /// Fails if: a closed executor rejects what waits, or what is read inside a turn; or does not reject a call for the line of its turn.
  @Test func closed() async {
    await Story().tell(
      """
      one takes notes(a); write asks notes; notes closes; other asks notes(a) ✗ closed; other asks notes ✗ closed
      one takes notes(b); one ends; one ends; write goes on
      """)
    await Story().tell("one takes A; A closes; one asks A ✗ closed")
  }

  /// Fails if: a write of every key that finds all free has the key of the one that did so before.
  @Test func everyKeyAfterOneThatWasFree() async {
    await Story().tell(
      "one takes notes{a}; one ends; one takes notes; two asks notes{b}; two waits; one ends; two goes on")
  }

  /// Fails if: a call inside a turn that has no time begins to wait.
  @Test func aCallInATurnWithoutTime() async {
    await Story(.heard).tell(
      """
      holder takes keys[b]; one takes keys[a]; one asks keys[b] within 0 ✗ late
      one: began 0/-/-, rejected 0/-/-
      """)
  }

  /// Fails if: a write of every key that only a pause held back begins beside a read that came first meanwhile, in a job of no key.
  @Test func aReadInAJobOfNoKeyDelaysAWriteThatIsHeldBack() async {
    await Story().tell(
      """
      one takes notes{}; notes pauses; write asks notes; one takes notes(a)
      notes resumes; write waits; one ends; one ends; write goes on
      """)
  }

  /// Fails if: a write that touches no key waits for a write of some keys, or runs beside one of every key; or it escapes pausing,
  /// closing, or what is done to all jobs.
  @Test func anEmptySetTouchesNoKey() async {
    await Story().tell(
      """
      holder takes notes{a}; one takes notes{}; one ends; every asks notes; behind asks notes{}
      holder ends; every goes on; behind waits; every ends; behind goes on; behind ends
      notes pauses; one asks notes{}; notes resumes; one goes on; one ends
      notes pauses; one asks notes{}; every asks notes; notes withdraws; one goes on ✗ withdrawn; every goes on ✗ withdrawn
      notes resumes; one takes notes{}; other drains notes; one drains notes ✗ notes → notes; one ends; other goes on
      notes closes; one asks notes{} ✗ closed
      """)
  }

  /// Fails if: a write in one that touches no key goes before a write of every key, which does not wait for it, and so before jobs
  /// behind that. (Then all of them hang.)
  @Test func aWriteInOneThatTouchesNothingStandsInLine() async {
    await Story().tell(
      """
      holder takes notes{a}; every asks notes; read asks notes(b); one asks notes{}
      holder ends; every goes on; one waits; every ends; read goes on; one goes on
      one asks notes{b}; read ends; one goes on
      """)
  }

  /// Fails if: a read waits that is called in a write which touches its key; or one of another key waits for a write that has not
  /// begun, waits for a write of every key (then this hangs), or begins beside a write of its key.
  @Test func readsInAWriteOfKeys() async {
    await Story().tell(
      """
      holder takes notes{b}; one takes notes{a}; every asks notes
      one takes notes(a); one ends; one takes notes(c); one ends; one asks notes(b)
      holder ends; one goes on; one ends; every waits; one ends; every goes on
      """)
  }

  /// Fails if: a write that is called in another waits for one of every key, which waits for the first (then this hangs); or one
  /// over a key that its caller has is not rejected.
  @Test func writesInAWrite() async {
    await Story().tell(
      """
      one takes notes{a}; every asks notes; one takes notes{b}; one ends
      one asks notes{b,a} ✗ notes[a] → notes[a]; every waits; one ends; every goes on
      """)
  }
}
