import SerialTasks
import Testing

/// Explores every sequence of events up to a length, and holds the state against a model that is too simple to be wrong.
///
/// Fails if: a turn is granted out of order or twice, a turn is lost on leave, on withdraw, on a rejection at `begin` or on
/// resume, a capacity is off by one, a closed line lets a caller in, or a drain ends early or never.
@Suite(.watched) struct LineStateTests {
  @Test(arguments: [nil, 1, 2] as [Int?])
  func everyShortHistoryAgreesWithTheModel(capacity: Int?) {
    var explored = 0
    func explore(_ history: [LineModel.Event]) {
      var run = LineRun(capacity: capacity)
      for event in history { run.apply(event) }
      explored += 1
      if let mismatch = run.mismatch {
        Issue.record("\(history): \(mismatch)")
        return
      }
      if history.count == Effort.number(short: 5, full: 6) { return }
      for event in run.model.possibleEvents { explore(history + [event]) }
    }
    explore([])
    #expect(explored > Effort.number(short: 5_000, full: 50_000))
  }

  @Test func placesRiseAndAreNeverReused() {
    var state = LineState()
    guard case .granted(let first) = state.enter(name: nil, task: nil) else {
      Issue.record("a free line did not let a caller in")
      return
    }
    let waiter = Waiter()
    _ = state.join(waiter)
    _ = state.leave(waiter)
    _ = state.finish(first)
    guard case .granted(let second) = state.enter(name: nil, task: nil) else {
      Issue.record("a turn was lost")
      return
    }
    #expect(first < waiter.place)
    #expect(waiter.place < second)
  }

  @Test func aLineIsLeftTheShortWayOnlyWhenNothingIsToBeHandedOn() {
    var state = LineState()
    _ = state.enter(name: nil, task: nil)
    let waiter = Waiter()
    _ = state.join(waiter)
    let whileOneWaits = state.finishAlone(1)
    _ = state.leave(waiter)
    let afterItLeft = state.finishAlone(1)
    let isIdle = state.isIdle
    #expect((whileOneWaits, afterItLeft, isIdle) == (false, true, true))
  }
}
