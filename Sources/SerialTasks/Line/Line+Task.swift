extension Line {
  /// Hands the line the task that was made for a waiter, so that it can be raised and cancelled, as it may be already.
  @usableFromInline
  func attach(_ handle: Task<Void, Never>, to waiter: Waiter) {
    let (isCancelled, raisedTo, suspension) = state.withLock { _ in
      waiter.handle = handle
      waiter.awaitsTask = false
      return (waiter.isCancelled, waiter.raisedTo, waiter.isWaiting ? nil : waiter.takeSuspension())
    }
    if isCancelled { handle.cancel() }
    if raisedTo > waiter.priority { handle.raise(to: raisedTo) }
    // What was decided while the task was being made takes effect now.
    suspension?.resume()
  }

  func isCancelled(_ waiter: Waiter) -> Bool { state.withLock { _ in waiter.isCancelled } }

  /// Whether the job was turned away, also if those who wait for it have not been told yet.
  func isRejected(_ waiter: Waiter) -> Bool { state.withLock { _ in waiter.rejection != nil } }

  /// Somebody awaits the submitted job: it and all that is ahead of it should not run at a lower priority.
  func raise(_ waiter: Waiter, to priority: UInt8) {
    let (raise, handle) = state.withLock { state -> (LineState.Raise?, Task<Void, Never>?) in
      guard waiter.raisedTo < priority else { return (nil, nil) }
      waiter.raisedTo = priority
      return (waiter.isWaiting ? state.raise(aheadOf: waiter, to: priority) : nil, waiter.handle)
    }
    handle?.raise(to: priority)
    if let raise { carryOut(raise) }
  }
}
