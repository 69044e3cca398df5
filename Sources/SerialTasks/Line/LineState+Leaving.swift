// MARK: - Leaving

extension LineState {
  package enum Departure: Sendable {
    /// It left the line, at once; the others moved up.
    case left(Handover)
    /// It had been granted the turn: when it begins it is turned away, and hands the turn on.
    case revoked
    /// Its job runs.
    case running
    /// It had left, or ended, before.
    case gone
  }

  /// A caller was cancelled, or a submitted job was.
  ///
  /// A caller tells of this itself, when it goes on. A submitted job is told by whoever cancels it, who then calls ``told(_:)``.
  package mutating func leave(_ waiter: Waiter) -> Departure {
    switch waiter.state {
    case .waiting:
      let (before, behind) = (waiter.previous?.batch, waiter.next?.batch)
      waiting.remove(waiter)
      if let before, let behind { merge(before, behind) }
      waiter.reject(.cancelled)
      if waiter.isSubmitted { untold += 1 }
      return .left(passOn())
    case .granted:
      waiter.state = .revoked(.cancelled)
      if waiter.isSubmitted { untold += 1 }
      return .revoked
    case .running: return turn.waiter === waiter ? .running : .gone
    case .revoked, .rejected: return .gone
    }
  }

  package struct Withdrawal: Sendable {
    /// Rejected `.withdrawn`, in the order of their places: to be told, and then to be reported to ``told(_:)``.
    package let waiters: [Waiter]
    /// The submitted job that runs, to be cancelled.
    package let running: Waiter?
  }

  /// Rejects every job that has not begun.
  package mutating func withdrawAll() -> Withdrawal {
    var withdrawn = waiting.removeAll()
    for waiter in withdrawn { waiter.reject(.withdrawn) }
    seats = (batches: 0, waiting: 0)
    let holder = turn.waiter
    if let holder, case .granted = holder.state {
      holder.revoke(.withdrawn)
      withdrawn.insert(holder, at: 0)
    } else if let rest = holder?.batch?.rejectThoseThatWait(.withdrawn) {
      withdrawn.insert(rest, at: 0)
    }
    untold += withdrawn.count
    return Withdrawal(waiters: withdrawn, running: holder.flatMap { $0.isSubmitted ? $0 : nil })
  }

  /// So many have been told that they were rejected: those who drain may have waited for just that.
  package mutating func told(_ count: Int) -> Handover {
    untold -= count
    return passOn()
  }
}

// MARK: - Pausing, closing, draining

extension LineState {
  package mutating func pause() {
    isPaused = true
    guard let batch = turn.waiter?.batch else { return }
    let before = batch.waiting.count
    batch.putBack()
    seats.waiting += batch.waiting.count - before
  }

  package mutating func resume() -> Handover {
    isPaused = false
    return passOn()
  }

  package mutating func close() { isClosed = true }

  /// Whether the caller of `drain` has to wait.
  package mutating func awaitIdle(_ waiter: Waiter) -> Bool {
    if isIdle { return false }
    drainers.append(waiter)
    checkInvariants()
    return true
  }

  /// A caller of `drain` was cancelled; returns whether it was still waiting.
  package mutating func leaveDrain(_ waiter: Waiter) -> Bool {
    guard waiter.isWaiting else { return false }
    drainers.remove(waiter)
    waiter.state = .rejected(.cancelled)
    return true
  }
}
