import TestWatch
import Testing

/// What a pause lets begin, since something that runs cannot end without it, and what it holds back.
@Suite(.watched) struct PauseTests {
  /// Fails if: a pause holds back what a running job awaits, or lets pass what none awaits.
  @Test func whatIsAwaited() async {
    // Of several jobs that run, each has what it awaits let pass.
    await Story().tell(
      """
      elsewhere takes A; holder takes keys[c]; z takes keys[z]; z asks A
      a takes keys[a]; a submits x to keys[c]; a awaits x; b takes keys[b]; b submits y to keys[c]; b awaits y
      pause pauses keys; holder ends; x goes on; x ends; y goes on; y ends
      a goes on; a ends; b goes on; b ends; pause waits; elsewhere ends; z goes on; z ends; z ends
      pause goes on
      """)
    // All that is in front of it, too.
    await Story().tell(
      """
      a takes keys[a]; pause pauses keys
      a submits b to keys[b]; a submits c to keys[c]; a submits both to keys[b,c]; a awaits both
      b goes on; c goes on; b ends; c ends; both goes on; both ends; a goes on; a ends; pause goes on
      """)
    // Not what a job of another executor awaits.
    await Story().tell(
      """
      holder takes keys[b]; job asks keys[b]; a takes A; a drains keys[b]
      pause pauses keys; holder ends; pause goes on; job waits
      """)
    await Story().tell(
      """
      holder takes notes{b}; a takes notes{a}; pause pauses notes; a submits read to notes(b); a awaits read
      holder ends; read goes on; read ends; a goes on; a ends; pause goes on
      """)
  }

  /// Fails if: a pause holds back what has taken the place of a write that a running job awaits. (Then this hangs.)
  @Test func aReplacedWriteThatIsAwaited() async {
    await Story().tell(
      """
      holder takes notes{b}; a takes notes{a}; a submits older to notes{b} as b; a awaits older
      other submits newer to notes{b} as b; pause pauses notes
      holder ends; newer goes on; newer ends; a goes on; a ends; pause goes on
      """)
  }

  /// Fails if: a pause holds back what a running job waits for through an operation that callers share. (Then this hangs.)
  @Test(arguments: [("profiles(1)", "caller"), ("token", "renewal1"), ("screen(join)", "load1")])
  func throughASharedOperation(_ place: String, _ operation: String) async {
    let verb = operation == "caller" ? "takes" : "asks"
    let end =
      "holder ends; \(operation) goes on; \(operation) ends; \(operation) ends; save goes on; save ends; pause goes on"
    await Story().tell(
      """
      holder takes notes{b}; save takes notes{a}; caller \(verb) \(place); \(operation) asks notes(b)
      pause pauses notes; save asks \(place); \(end)
      """)
    guard operation != "caller" else { return }
    await Story().tell(
      """
      holder takes notes{b}; save takes notes{a}; pause pauses notes; save asks \(place); \(operation) asks notes(b); \(end)
      """)
  }

  /// Fails if: only a pause that its own caller began lets pass what a running job waits for. (Then this hangs.)
  @Test func aPauseThatWasThere() async {
    await Story().tell(
      """
      a takes keys[a]; keys pauses; pause pauses keys; a submits x to keys[b]; a awaits x
      x goes on; x ends; a goes on; a ends; pause goes on
      """)
  }

  /// Fails if: what a running job awaits is held back because a call stands in front of it that waits for that job, and leaves.
  /// (Then this hangs.)
  @Test func aCallInFrontThatLeaves() async {
    await Story().tell(
      """
      a takes keys[a]; other submits x to keys[a]; b takes keys[b]; b awaits x; a asks keys[a,b] within 1
      pause pauses keys; 1 seconds pass; a goes on ✗ late; a ends
      x goes on; x ends; b goes on; b ends; pause goes on
      """)
  }

  /// Fails if: a caller that is cancelled while it waits leaves the pause that it began, or ends one that another began.
  @Test func aCallerThatLeaves() async {
    await Story().tell(
      "job takes A; pause pauses A; pause is cancelled; pause goes on ✗ cancelled; job ends; other takes A")
    await Story().tell(
      "job takes A; A pauses; pause pauses A; pause is cancelled; pause goes on ✗ cancelled; job ends; other asks A")
  }

  /// Fails if: a job that runs cannot end, because what it asks for in its turn waits for the end of the pause. (Then this
  /// hangs.)
  @Test func partsOfWhatRuns() async {
    await Story().tell(
      """
      holder takes keys[b]; a takes keys[a]; a asks keys[b]; pause pauses keys; d asks keys[d]
      holder ends; a goes on; a ends; a takes keys[c]; a ends; a ends; pause goes on; d waits
      """)
  }

  /// Fails if: a job that one pause let pass begins during the next, which has no callers.
  @Test func aPauseAfterAPause() async {
    await Story().tell(
      """
      holder takes keys[b]; job asks keys[b]; a takes keys[a]; a submits x to keys[b]; a awaits x
      pause pauses keys; keys resumes; pause goes on ✗ withdrawn; keys pauses
      holder ends; job waits; x waits; keys resumes; job goes on
      """)
  }

  /// Fails if: what a running job awaits waits for a slot behind what the pause holds back. (Then this hangs.)
  @Test func behindWhatLacksASlot() async {
    await Story().tell(
      """
      holder takes slots[b]; a takes slots[a]; a submits stranger to slots[c]; a submits x to slots[d]; a awaits x
      pause pauses slots; holder ends; x goes on; x ends; a goes on; a ends; pause goes on; stranger waits
      """)
  }

  /// What it holds back may be given a slot first.
  ///
  /// Fails if: what a running job waits for is held back, whether it needs a slot or not, and comes before the pause or after it
  /// (then this hangs); or a pause lets more begin than that.
  @Test(
    arguments: ["asks %[b]", "asks %[b] within 1000", "submits x to %[b]; a awaits x", "drains %[b]"], [false, true])
  func whatARunningJobWaitsFor(_ need: String, comesLater: Bool) async {
    for (name, outer) in [("keys", "[a]"), ("slots", "[a]"), ("slots", "[]"), ("keys", "[]")] {
      let isCall = need.hasPrefix("asks")
      let needs = "a " + (comesLater ? need.replacing("asks", with: "takes") : need).replacing("%", with: name)
      let stranger = "other submits stranger to \(name)[c]"
      let (first, last) = name == "slots" ? (stranger, "") : ("", stranger)
      let pauses = "pause pauses \(name); \(last)"
      await Story().tell(
        """
        a takes \(name)\(outer); holder takes \(name)[b]
        \(first); other submits job to \(name)[b]
        \(comesLater ? "\(pauses); holder ends; \(needs)" : "\(needs); \(pauses); holder ends")
        \(isCall ? "" : "job goes on; job ends"); \(need.hasPrefix("submits") ? "x goes on; x ends" : "")
        a goes on; a ends; \(isCall ? "a ends; job waits" : ""); pause goes on; stranger waits
        """)
    }
  }
}
