import Testing

@testable import SerialTasks

/// Whom the state raises, by place and priority alone; that tasks are really raised is tested in `PriorityTests`.
@Suite(.watched) struct LinePriorityTests {
  /// Joins a submitted job of this priority, which gets the turn, and the others behind it.
  private func fill(
    _ state: inout LineState, holding priority: UInt8, behind others: [(UInt8, isSubmitted: Bool)]
  ) -> [Waiter] {
    let waiters = ([(priority, isSubmitted: true)] + others).enumerated().map { index, waiter in
      Waiter(name: "\(index)", isSubmitted: waiter.1, priority: waiter.0)
    }
    for waiter in waiters { _ = state.join(waiter) }
    return waiters
  }

  /// Fails if: the walk stops one too early, or does not stop at the first that is high enough.
  @Test func everythingAheadIsRaisedAndNoMore() {
    var state = LineState()
    let waiters = fill(
      &state, holding: 9, behind: [(25, isSubmitted: true), (9, isSubmitted: true), (9, isSubmitted: false)])
    #expect(waiters.map(\.raisedTo) == [25, 25, 9, 9])
    let raised = state.join(Waiter(name: "urgent", priority: 21)).raised
    #expect(raised == ["2 to 21"])
    #expect(waiters.map(\.raisedTo) == [25, 25, 21, 21])
  }

  /// Fails if: `raisedTo` is not kept up, so that each arrival walks the whole line again.
  @Test func whatWasRaisedIsNotRaisedAgain() {
    var state = LineState()
    _ = fill(&state, holding: 9, behind: [(9, isSubmitted: true)])
    let first = state.join(Waiter(priority: 25)).raised
    let second = state.join(Waiter(priority: 25)).raised
    #expect(first == ["0 to 25", "1 to 25"])
    #expect(second == [])
  }

  /// A leaving waiter takes nothing back: what was raised stays raised, and the order of `raisedTo` with it.
  @Test func leavingKeepsTheOrder() {
    var state = LineState()
    let waiters = fill(&state, holding: 9, behind: [(9, isSubmitted: false), (25, isSubmitted: false)])
    _ = state.leave(waiters[2], .cancelled)
    #expect(waiters[0].raisedTo == 25)
    #expect(waiters[1].raisedTo == 25)
    state.checkInvariants()
  }

  /// Fails if: a turn goes the short way to a caller that was raised while it waited, so that its task is not.
  @Test func whoWasRaisedIsNotHandedTheTurnTheShortWay() {
    var state = LineState()
    let waiters = fill(&state, holding: 25, behind: [(9, isSubmitted: false), (25, isSubmitted: false)])
    #expect(waiters[1].raisedTo == 25)
    if case .none = state.finishShortly(waiters[0].place) {} else { Issue.record("it was not raised") }
    _ = state.finish(waiters[0].place)
    if case .handedOn = state.finishShortly(waiters[1].place) {} else { Issue.record("no job had to be raised") }
  }

  /// Two raise it at the same time, and it must wait for both.
  ///
  /// Fails if: each of those that raise a caller has a pin of its own, so that the caller waits for the last only.
  @Test(arguments: [false, true]) func aCallerThatIsRaisedTwiceHasOnePin(hasWaiter: Bool) async throws {
    var state = LineState()
    if hasWaiter {
      _ = state.join(Caller(priority: 9, task: .current))
    } else {
      _ = state.enter(name: nil, task: .current)
    }
    let pins = ([17, 25] as [UInt8]).compactMap { priority -> EscalationPin? in
      guard case .waiting(.one(let escalation)) = state.join(Waiter(priority: priority)),
        case .caller(let pin) = escalation.target
      else { return nil }
      return pin
    }
    try #require(pins.count == 2)
    #expect(pins[0] === pins[1])
    #expect(state.turn.pin === pins[0])
  }
}
