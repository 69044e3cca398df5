import SerialTasksFenced
import Testing

/// What the state decides so that jobs ask less often, or ask anew; the programs of the explorer see who runs without access.
@Suite(.watched) struct AccessStateTests {
  private final class Grant: Sendable {
    let name: String
    init(_ name: String) { self.name = name }
  }

  private typealias State = AccessState<Grant>

  private func next(
    _ state: inout State, _ ticket: State.Ticket, at place: UInt64 = 1, mayWait: Bool = true, new: Grant
  ) -> String {
    switch state.next(ticket, at: place, mayWait: mayWait, now: .zero, new: new) {
    case .use(let grant, _): "use \(grant.name)"
    case .ask(let grant): "ask \(grant.name)"
    case .wait: "wait"
    case .mustWait: "must wait"
    case .failed: "failed"
    }
  }

  private func releases(_ ending: State.Ending) -> Bool { if case .release = ending { true } else { false } }

  /// Fails if: access is given back although the job that has the turn uses it next, or jobs of this key alone follow; or a submitted
  /// job that has left, and may have the turn still, passes for the next one.
  @Test func whoUsesAccessNext() {
    var state = State(.init(jobs: 9))
    func goesOn(hasTurn: Bool, isPaused: Bool = false) -> Bool { state.hasNext(isPaused: isPaused, hasTurn: hasTurn) }
    #expect(!goesOn(hasTurn: true))
    let sets = (0..<2).map { _ in state.arrive(isOfSet: true) }
    let single = state.arrive()
    #expect(goesOn(hasTurn: true) && !goesOn(hasTurn: false))
    state.leave(sets[0], isSubmitted: true)
    #expect(!goesOn(hasTurn: true))
    #expect(next(&state, sets[1], new: Grant("a")) == "ask a" && goesOn(hasTurn: true))
    state.leave(sets[1], isSubmitted: true)
    #expect(goesOn(hasTurn: false) && !goesOn(hasTurn: true, isPaused: true))
    state.leave(single, isSubmitted: false)
    #expect(!goesOn(hasTurn: true))
  }

  /// Fails if: a job waits for a request without having said so, access is given back while a job uses it, one that puts it back counts
  /// as one that has run, a grant is for more jobs than it may, or what comes late from one that is over changes the next.
  @Test func grantsOneAfterTheOther() {
    let (old, new) = (Grant("old"), Grant("new"))
    var state = State(.init(jobs: 2))
    let ticket = state.arrive()
    #expect(next(&state, ticket, mayWait: false, new: old) == "must wait")
    #expect(next(&state, ticket, new: old) == "ask old")
    #expect(next(&state, ticket, mayWait: false, new: new) == "must wait" && next(&state, ticket, new: new) == "wait")
    #expect(state.grant(old, at: .zero) && next(&state, ticket, new: new) == "use old")
    state.putBack(old)
    for isLast in [false, true] {
      #expect(next(&state, ticket, mayWait: false, new: new) == "use old" && !releases(state.giveUp()))
      #expect(releases(state.finish(old, at: .zero)) == isLast)
    }
    #expect(next(&state, ticket, new: new) == "ask new")
    #expect(!state.grant(old, at: .zero) && state.grant(new, at: .zero))
    state.end(old, CancellationError())
    #expect(!releases(state.want(old, at: .zero)) && !releases(state.lose(old, failing: nil)) && state.held === new)
    state.end(new, CancellationError())
    #expect(state.held == nil)
  }

  /// ```
  ///   3 asks, and runs ── a drain up to 5 ── 5 runs ── 6 asks anew ── a drain up to 7 ── 9 asks anew ── 4 stands behind it ── the drains end
  /// ```
  /// Fails if: a job uses access, or waits for a request, for which a caller of `drain` waits that came before it; a job from before asks
  /// anew; a drain that has ended counts; or a caller waits for what only later jobs use.
  @Test func whoUsesWhatADrainWaitsFor() {
    let (old, new, newest) = (Grant("old"), Grant("new"), Grant("newest"))
    var state = State(.init(jobs: 9))
    let ticket = state.arrive()
    func run(at place: UInt64, _ new: Grant) -> (String, makesWay: Bool) {
      let ending = state.makeWay(forJobAt: place)
      let makesWay = if case .nothing = ending { false } else { true }
      return (next(&state, ticket, at: place, new: new), makesWay)
    }
    #expect(run(at: 3, old) == ("ask old", false) && state.grant(old, at: .zero))
    #expect(run(at: 3, new) == ("use old", false))
    _ = (state.finish(old, at: .zero), state.beginDrain(upTo: 5))
    #expect(run(at: 5, new) == ("use old", false))
    _ = state.finish(old, at: .zero)
    func awaited(upTo place: UInt64) -> [String] { state.awaited(upTo: place).map(\.name) }
    #expect(awaited(upTo: 2) == [] && run(at: 6, new) == ("ask new", true))
    #expect(awaited(upTo: 5) == ["old"] && awaited(upTo: 6) == ["old", "new"])
    _ = state.beginDrain(upTo: 7)
    #expect(run(at: 7, newest) == ("wait", false) && run(at: 9, newest) == ("ask newest", true))
    // A call inside a job goes ahead of jobs that came before it.
    #expect(run(at: 4, newest) == ("wait", false) && awaited(upTo: 5) == ["old", "newest"])
    state.endDrain(upTo: 5)
    #expect(run(at: 7, newest) == ("wait", false) && !state.isUnused)
    state.endDrain(upTo: 7)
    #expect(run(at: 10, newest) == ("wait", false))
    state.leave(ticket, isSubmitted: false)
    for grant in [old, new, newest] {
      #expect(!state.isUnused)
      state.end(grant, CancellationError())
    }
    #expect(state.isUnused)
  }

  /// ```
  ///   asked at 0 ── a caller with a limit of 10 is late at 9: too young ── one is at 10: given up
  ///   asked at 10 ── late at 20: had less than twice the time ── late at 30: given up
  ///   asked at 30 ── late at 70 ── asked at 70 ── late at 110: four times the limit is enough
  ///   asked at 110 ── granted at 125 ── asked at 130 ── late at 160: had twice the time
  /// ```
  /// Fails if: a request that hangs is never given up, one that stands in a long line always is, or one has less time than the last
  /// that was granted.
  @Test func aLateCallerGivesUpARequestThatIsOldEnough() {
    var state = State(.init(jobs: 1))
    let ticket = state.arrive()
    var asked = Grant("0")
    func ask(at now: Int) {
      let next = state.next(ticket, at: 1, mayWait: true, now: .seconds(now), new: Grant("\(now)"))
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
