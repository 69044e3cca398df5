extension Line {
  func pause() { state.withLock { $0.pause() } }

  func resume() { carryOut(state.withLock { Aftermath($0.resume()) }) }

  func close() { state.withLock { $0.close() } }

  /// Returns when nothing waits or runs, or why the caller did not wait for that.
  nonisolated(nonsending) func drain() async -> JobRejection? {
    if state.withLock({ $0.isIdle }) { return nil }
    let waiter = Waiter(priority: Task.currentPriority.rawValue)
    var mustWait = false
    var raise: LineState.Raise?
    let register = {
      (mustWait, raise) = self.state.withLock { state in
        state.awaitIdle(waiter) ? (true, state.raiseAll(to: waiter.priority)) : (false, nil)
      }
      return mustWait
    }
    if HeldTurn.innermost == nil {
      _ = register()
    } else {
      let wait = Wait(for: label) { self.blockers(of: waiter) }
      if let deadlock = WaitGraph.begin(wait, join: register) { return .deadlock(deadlock) }
      if mustWait { waiter.wait = wait }
    }
    guard mustWait else { return nil }
    if let raise { carryOut(raise) }
    await Suspension.park(leave: { self.leaveDrain(waiter) }, register: { self.park(waiter, $0) })
    if let wait = waiter.wait.take() { WaitGraph.end(wait) }
    return state.withLock { _ in waiter.rejection }
  }

  private func leaveDrain(_ waiter: Waiter) {
    let own = state.withLock { $0.leaveDrain(waiter) ? waiter.takeSuspension() : nil }
    own?.resume()
  }

  var snapshot: ExecutorSnapshot {
    state.withLock { state in
      ExecutorSnapshot(
        waiting: state.jobsWaiting, isRunning: !state.turn.isFree, running: state.turn.name, isPaused: state.isPaused,
        isClosed: state.isClosed, capacity: state.capacity)
    }
  }
}
