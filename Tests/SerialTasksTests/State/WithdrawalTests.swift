import Testing

@testable import SerialTasks

/// Whom a line cancels that is shut down: the state alone.
@Suite(.watched) struct WithdrawalTests {
  private func caller() -> Job { CallerJob(task: TaskReference.current) }

  /// A caller whose job runs is cancelled with its task, which is kept from ending until then.
  ///
  /// Fails if: it is not, or is although only submitted jobs are to be cancelled.
  @Test(arguments: [true, false]) func whoRuns(_ hasWaited: Bool) {
    var state = LineState.alone()
    _ = state.enter(name: nil, task: TaskReference.current)
    state.settle()
    if hasWaited {
      let waiter = caller()
      _ = state.join(waiter)
      _ = state.finish(state.lightJob!)
      _ = state.begin(waiter)
    }
    let (mildly, firmly) = (state.withdraw(), state.withdraw(cancelsCallers: true))
    #expect(mildly.effects.cancelledCallers.isEmpty)
    #expect(firmly.effects.cancelledCallers.elements.count == 1)
    #expect(mildly.rejected.isEmpty && firmly.rejected.isEmpty)
  }

  /// A caller that was granted its turn, and whose job has not begun, is rejected; its task is its own.
  ///
  /// Fails if: it is cancelled too.
  @Test func whoHasNotBegun() {
    var state = LineState.alone()
    _ = state.enter(name: nil, task: TaskReference.current)
    state.settle()
    let (granted, waiting) = (caller(), caller())
    _ = state.join(granted)
    _ = state.join(waiting)
    _ = state.finish(state.lightJob!)
    let withdrawal = state.withdraw(cancelsCallers: true)
    #expect(withdrawal.effects.cancelledCallers.isEmpty)
    #expect(withdrawal.rejected.map(ObjectIdentifier.init) == [granted, waiting].map(ObjectIdentifier.init))
    #expect(granted.state == .revoked(.withdrawn) && waiting.state == .rejected(.withdrawn))
  }
}
