extension Line {
  /// A caller was cancelled, or a submitted job was.
  func leave(_ waiter: Waiter) {
    let (own, aftermath) = state.withLock { state -> (Suspension?, Aftermath?) in
      guard case .left(let handover) = state.leave(waiter) else { return (nil, nil) }
      return (waiter.suspension.take(), Aftermath(handover))
    }
    guard let aftermath else { return }
    report(.rejected(.cancelled), waiter)
    waiter.settle(rejected: .cancelled)
    own?.resume()
    carryOut(aftermath)
  }

  func withdrawAll() {
    let (withdrawal, wake, aftermath, handle) = state.withLock { state in
      let withdrawal = state.withdrawAll()
      let wake = Wake.many(withdrawal.waiters.compactMap { $0.suspension.take() })
      withdrawal.running?.isCancelled = true
      return (withdrawal, wake, Aftermath(withdrawal.handover), withdrawal.running?.handle)
    }
    for waiter in withdrawal.waiters {
      report(.rejected(.withdrawn), waiter)
      waiter.settle(rejected: .withdrawn)
    }
    handle?.cancel()
    wake.carryOut()
    carryOut(aftermath)
  }
}
