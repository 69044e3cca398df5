import SerialTasksFenced
import Testing

/// When a request is given up that seems to hang.
///
/// What else the state decides, the programs of the explorer play.
@Suite(.watched) struct AccessStateTests {
  private final class Grant: Sendable {}

  /// ```
  ///   asked at 0 ── a caller with a limit of 10 is late at 9: too young ── one is at 10: given up
  ///   asked at 10 ── late at 20: had less than twice the time ── late at 30: given up
  ///   asked at 30 ── late at 70 ── asked at 70 ── late at 110: four times the limit is enough
  ///   asked at 110 ── granted at 125 ── asked at 130 ── late at 160: had twice the time
  /// ```
  /// Fails if: a request that hangs is never given up, one that stands in a long line always is, or one has less time than the last
  /// that was granted.
  @Test func aLateCallerGivesUpARequestThatIsOldEnough() {
    var state = AccessState<Grant>(.init(jobs: 1))
    let ticket = state.arrive()
    var asked = Grant()
    func ask(at now: Int) {
      let next = state.next(ticket, mayWait: true, at: .seconds(now), new: Grant())
      if case .ask(let grant) = next { asked = grant } else { Issue.record("it is not asked for at \(now)") }
    }
    func isGivenUp(at now: Int, limit: Int = 10) -> Bool {
      guard case .cancel(let given) = state.giveUp(lateBy: .seconds(limit), at: .seconds(now)) else { return false }
      return given === asked
    }
    for (start, young, old) in [(0, 9, 10), (10, 29, 30), (30, 69, 70), (70, 109, 110)] {
      ask(at: start)
      #expect(!isGivenUp(at: young) && isGivenUp(at: old) && !isGivenUp(at: old))
    }
    ask(at: 110)
    #expect(state.grant(asked, at: .seconds(125)) && !isGivenUp(at: 1_000))
    _ = state.giveUp()
    ask(at: 130)
    #expect(!isGivenUp(at: 159) && isGivenUp(at: 160))
    // A call that may not wait gives up nothing, and one with a short limit not for long.
    ask(at: 200)
    #expect(!isGivenUp(at: 1_000, limit: 0))
    #expect(!isGivenUp(at: 209, limit: 1) && isGivenUp(at: 210, limit: 1))
  }
}
