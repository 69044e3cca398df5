extension Line {
  func pause() { state.withLock { $0.pause() } }

  func resume() { carryOut(state.withLock { Aftermath($0.resume()) }) }

  func close() { state.withLock { $0.close() } }

  /// Returns when nothing waits or runs, or why the caller did not wait for that.
  nonisolated(nonsending) func drain() async -> JobRejection? {
    if state.withLock({ $0.isIdle }) { return nil }
    let waiter = Waiter()
    var mustWait = false
    let register = {
      mustWait = self.state.withLock { $0.awaitIdle(waiter) }
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
    await Suspension.park(leave: { self.leaveDrain(waiter) }, register: { self.park(waiter, $0) })
    if waiter.wait != nil { WaitGraph.endWait(of: waiter) }
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
