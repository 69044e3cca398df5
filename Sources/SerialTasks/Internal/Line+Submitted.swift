extension Line {
  /// Hands the line the task that was made for a waiter, so that it can be raised and cancelled, as it may be already.
  @usableFromInline
  func attach(_ handle: Task<Void, Never>, to waiter: Waiter) {
    let (isCancelled, raisedTo) = state.withLock { _ in
      waiter.handle = handle
      return (waiter.isCancelled, waiter.raisedTo)
    }
    if isCancelled { handle.cancel() }
    if raisedTo > waiter.priority { handle.raise(to: raisedTo) }
  }

  func cancel(_ waiter: Waiter) {
    let handle = state.withLock { _ in
      waiter.isCancelled = true
      return waiter.handle
    }
    leave(waiter)
    handle?.cancel()
  }

  func isCancelled(_ waiter: Waiter) -> Bool { state.withLock { _ in waiter.isCancelled } }

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
