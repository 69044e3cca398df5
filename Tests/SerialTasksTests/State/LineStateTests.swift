import SerialTasks
import Testing

/// Explores every sequence of events up to a length, and holds the state against a model that is too simple to be wrong.
///
/// Fails if: a turn is granted out of order or twice, a turn is lost on leave, on withdraw, on a rejection at `begin` or on
/// resume, a capacity is off by one, a closed line accepts a job, a waiter goes on twice or never, a turn that is ended
/// the short way goes to another than it otherwise would, or a drain ends early or never.
@Suite(.watched) struct LineStateTests {
  @Test(arguments: [nil, 1, 2] as [Int?], [true, false])
  func everyShortHistoryAgreesWithTheModel(capacity: Int?, endsShortly: Bool) {
    var (explored, longest) = (0, 0)
    func explore(_ history: [LineModel.Event], after model: LineModel) {
      var run = LineRun(capacity: capacity, endsShortly: endsShortly)
      for event in history.dropLast() { run.replay(event) }
      if let last = history.last { run.apply(last, to: model) }
      explored += 1
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        return
      }
      // What is ended in full takes the same way, but for the end.
      if history.count == (endsShortly ? 6 : 5) { return }
      for event in run.model.possibleEvents {
        if history.count == 5 { longest += 1 }
        if history.count < 5 || Effort.takes(longest) { explore(history + [event], after: run.model) }
      }
    }
    explore([], after: LineModel(capacity: capacity))
    #expect(explored > (endsShortly ? Effort.number(short: 10_000, full: 50_000) : 5_000))
  }

  @Test func placesRiseAndAreNeverReused() {
    var state = LineState()
    guard case .granted(let first) = state.enter(name: nil, task: nil) else {
      Issue.record("a free line did not let a caller in")
      return
    }
    let waiter = Waiter()
    _ = state.join(waiter)
    _ = state.leave(waiter, .cancelled)
    _ = state.finish(first)
    guard case .granted(let second) = state.enter(name: nil, task: nil) else {
      Issue.record("a turn was lost")
      return
    }
    #expect(first < waiter.place)
    #expect(waiter.place < second)
  }

  /// Fails if: a submitted job is resumed before its task is known, or is not parked meanwhile.
  @Test func aJobIsNotResumedBeforeItsTaskIsKnown() {
    var state = LineState()
    _ = state.enter(name: nil, task: nil)
    let job = Waiter(isSubmitted: true)
    _ = state.join(job)
    let hasParked = job.park(Suspension(tag: 0))
    let ending = state.finish(1)
    #expect(hasParked)
    #expect(job.state == .granted)
    #expect(ending.effects.resumed.isEmpty)
    job.awaitsTask = false
    #expect(job.takeSuspension()?.tag == 0)
  }

  /// Fails if: a waiter that has its turn or has left, and has not gone on yet, is still behind a turn, for the wait graph.
  @Test func aWaitThatHasEndedIsBehindNoTurn() {
    let line = SerialLine(name: nil, type: "test")
    let (first, granted, left) = (Waiter(), Waiter(), Waiter())
    line.locked { state in for waiter in [first, granted, left] { _ = state.join(waiter) } }
    for waiter in [granted, left] { #expect(line.blockers(of: waiter).all.first === line) }
    line.locked { state in
      _ = state.leave(left, .cancelled)
      _ = state.begin(first)
      _ = state.finish(first.place)
    }
    for waiter in [granted, left] { #expect(line.blockers(of: waiter).all.isEmpty) }
    line.locked { state in
      _ = state.begin(granted)
      _ = state.finish(granted.place)
    }
  }

  @Test func aLineIsLeftTheShortWayOnlyWhenNothingIsToBeHandedOn() {
    var state = LineState()
    _ = state.enter(name: nil, task: nil)
    let waiter = Waiter()
    _ = state.join(waiter)
    let whileOneWaits = state.finishShortly(1)
    _ = state.leave(waiter, .cancelled)
    let afterItLeft = state.finishShortly(1)
    let isIdle = state.isIdle
    if case .none = whileOneWaits {} else { Issue.record("\(whileOneWaits)") }
    if case .free = afterItLeft {} else { Issue.record("\(afterItLeft)") }
    #expect(isIdle)
  }
}
