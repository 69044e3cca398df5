import Foundation
import SerialTasksFenced
import Testing

/// Every short history of one key, beside a model that writes down for each job what has become of it.
@Suite(.watched) struct AccessStateTests {
  enum Event: CaseIterable {
    case arrive, arriveWithOthers, come, place, turn, go, putBack, leaveFirst, leaveInTurn, turnIsOver,
      leaveLast
    case grant, fail, lose, loseFirst, withdraw
    case pass, look, want, drain, endDrain, giveUp
  }

  final class Grant: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  struct Failure: Error, Equatable { let number: Int }

  typealias State = AccessState<Grant>

  /// One line of jobs, of which the first may run; what was asked for, held and lost.
  struct World {
    struct Job {
      var ticket: State.Ticket
      let isOfSet: Bool
      /// Whether it has other keys, at which it does not have its turn yet.
      var waitsElsewhere: Bool
      /// What has become of it before it began.
      var verdict: String?
      var runsUnder: Grant?
    }

    struct Held {
      let grant: Grant
      var jobs = 0
      var kept: Int?
      var wasKept = false
      var wanted: Int?
    }

    var state: State
    let limit: Int
    let keeping: Int
    var jobs: [Job] = []
    /// One that has arrived, and has no place yet.
    var coming: Job?
    /// Whether a job that has left has the turn still; and whether one may, as far as the state knows.
    var hasLeft = false
    var mayHaveTurn = false
    var asked: Grant?
    var held: Held?
    var old: Grant?
    var drains = 0
    var now = 0
    var made = 0
    /// What has been played, and the lines of this file whose expectations did not hold.
    var history: [Event] = []
    var wrong: [Int] = []

    init(limit: Int, keeping: Int) {
      self.limit = limit
      self.keeping = keeping
      state = State(.init(jobs: limit, keeping: .seconds(keeping)))
    }

    /// Whether a job that has not left has the turn of the key.
    var hasTurn: Bool { !hasLeft && jobs.first?.waitsElsewhere == false }

    /// Whether the line says that a job has it.
    var isTurnTaken: Bool { hasLeft || hasTurn }
  }

  /// Fails if: the state lends access that it has not, holds access without a job that has the turn for longer than it may, or a job
  /// gets another's verdict.
  @Test(arguments: [(1, 0), (2, 0), (2, 1)]) func everyShortHistoryAgreesWithTheModel(limit: Int, keeping: Int) {
    // So that the histories are known to be about something.
    var met = (played: 0, ran: 0, kept: 0, expired: 0, returned: 0)
    var isWrong = false
    func extend(_ world: World, _ depth: Int) {
      if depth == 0 || isWrong { return }
      for event in Event.allCases {
        var next = world
        guard next.play(event) else { continue }
        next.history.append(event)
        met.played += 1
        if next.jobs.first?.runsUnder != nil, event == .go { met.ran += 1 }
        if next.held?.kept != nil, world.held?.kept == nil { met.kept += 1 }
        if event == .look, next.held == nil { met.expired += 1 }
        if event == .want, next.held == nil { met.returned += 1 }
        next.checkState()
        if !next.wrong.isEmpty {
          isWrong = true
          Issue.record("\(next.history.map { "\($0)" }): wrong at \(next.wrong)")
        }
        extend(next, depth - 1)
      }
    }
    let depth = ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1" ? 8 : 7
    let idle = World(limit: limit, keeping: keeping)
    var running = idle
    for event in [.arrive, .go, .grant, .go] as [Event] { _ = running.play(event) }
    var left = idle
    for event in [.arrive, .arrive, .arrive, .go, .grant, .leaveInTurn] as [Event] { _ = left.play(event) }
    extend(idle, depth)
    extend(running, depth - 2)
    extend(left, depth - 2)
    #expect(met.played > 50_000 && met.ran > 500, "\(met)")
    #expect(keeping == 0 || met.kept > 500 && met.expired > 50 && met.returned > 50, "\(met)")
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
    var (made, asked) = (0, Grant(0))
    func ask(at now: Int) {
      made += 1
      let next = state.next(ticket, mayWait: true, at: .seconds(now), new: Grant(made))
      if case .ask(let grant) = next { asked = grant } else { Issue.record("it is not asked for at \(now)") }
    }
    func isGivenUp(at now: Int, limit: Int = 10) -> Bool {
      if case .cancel(asked) = state.giveUp(lateBy: .seconds(limit), at: .seconds(now)) { true } else { false }
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

private func ~= (grant: AccessStateTests.Grant, other: AccessStateTests.Grant) -> Bool { grant === other }
