extension Line {
  /// The waiter's task was cancelled.
  ///
  /// The runtime calls this under a lock of that task, so it does no more than let the task go on, which tells of it.
  func leave(_ waiter: Waiter) {
    let (own, aftermath) = state.withLock { state -> (Suspension?, Aftermath?) in
      guard case .left(let handover) = state.leave(waiter) else { return (nil, nil) }
      return (waiter.takeSuspension(), Aftermath(handover))
    }
    own?.resume()
    if let aftermath { carryOut(aftermath) }
  }

  /// Cancels a submitted job; when this returns, those who hold its handle have been told if it will not run.
  func cancel(_ waiter: Waiter) {
    let (own, handle, aftermath) = state.withLock { state -> (Suspension?, Task<Void, Never>?, Aftermath?) in
      waiter.isCancelled = true
      switch state.leave(waiter) {
      // The turn stays where it is; but reads on both sides of a write may have come together.
      case .left(let handover): return (waiter.takeSuspension(), waiter.handle, Aftermath(handover))
      case .revoked: return (nil, waiter.handle, Aftermath(.nobody))
      case .running: return (nil, waiter.handle, nil)
      case .gone: return (nil, nil, nil)
      }
    }
    if let aftermath {
      carryOut(aftermath)
      tell([waiter], .cancelled)
    }
    handle?.cancel()
    own?.resume()
  }

  func withdrawAll() { carryOut(state.withLock { Withdrawn(from: &$0) }) }

  /// What a withdrawal asks for, taken out of the waiters under the lock and carried out after it.
  struct Withdrawn: Sendable {
    fileprivate let waiters: [Waiter]
    fileprivate var wake = Wake.nobody
    fileprivate let running: [Task<Void, Never>]

    init(from state: inout LineState) {
      let withdrawal = state.withdrawAll()
      waiters = withdrawal.waiters
      running = withdrawal.running?.cancelRunning() ?? []
      for waiter in waiters { waiter.letGo(into: &wake) }
    }
  }

  func carryOut(_ withdrawn: Withdrawn) {
    tell(withdrawn.waiters, .withdrawn)
    for task in withdrawn.running { task.cancel() }
    withdrawn.wake.carryOut()
  }

  /// Tells those who were rejected, and only then lets go of those who drain.
  private func tell(_ waiters: [Waiter], _ why: JobRejection) {
    for waiter in waiters {
      if reports { for (kind, name, place) in waiter.endings(why) { report(kind, name, place) } }
      waiter.settle(rejected: why)
    }
    carryOut(state.withLock { Aftermath($0.told(waiters.count)) })
  }
}
