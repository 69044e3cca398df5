// How jobs begin, end, and leave.

extension ClaimTable {
  /// A waiter goes on: the last moment at which it can be rejected.
  package mutating func begin(_ waiter: Waiter) -> Beginning {
    let job = JobClaim.of(waiter)
    if case .granted = waiter.state, isPaused, !mayBeginInPause(job) {
      waitAgain(job)
      return .waitAgain
    }
    let beginning = waiter.begin()
    if case .run = beginning { job.latest?.forget() }
    return beginning
  }

  /// A newer job takes the place of an older one that has not begun.
  ///
  /// The older one's task goes on, and ends.
  @usableFromInline
  package mutating func replace(_ older: Waiter, by newer: Waiter) -> (arrival: Arrival, effects: Effects) {
    let job = JobClaim.of(older)
    newer.place = older.place
    newer.state = older.state
    newer.turn = older.turn.take()
    newer.details = job
    newer.awaitsTask = true
    if job.isListed {
      if job.hasSlot {
        slotHolders.replace(older, by: newer)
      } else if needsSlot(job) {
        readyForSlot.replace(older, by: newer)
      } else {
        paused.replace(older, by: newer)
      }
    }
    job.waiter = newer
    let raisedTo = older.raisedTo
    newer.raisedTo = max(newer.priority, raisedTo)
    older.state = .rejected(.withdrawn)
    var effects = Effects()
    effects.resume(older)
    if case .granted = newer.state { return (.granted, effects) }
    newer.start = WaitStart(ahead: Int(job.ahead))
    return (.waiting(newer.priority > raisedTo ? escalate(aheadOf: job, to: newer.priority) : .none), effects)
  }

  /// The job has ended, or was rejected after its grant.
  package mutating func finish(_ waiter: Waiter) -> Ending {
    let job = JobClaim.of(waiter)
    endTurn(of: job)
    var effects = Effects()
    remove(job, &effects)
    advance(&effects)
    return Ending(effects: effects, pin: waiter.pin)
  }

  /// Takes the job out of all queues.
  ///
  /// The caller holds its waiter, which does not end here.
  private mutating func remove(_ job: JobClaim, _ effects: inout Effects) {
    job.forEachClaim { claim in
      claim.queue.remove(claim) { other in if other.isWaiting { list(other) } }
      if claim !== job { forgetIfUnused(claim.queue, &effects) }
    }
    present -= 1
    endPause(of: job, &effects)
    job.latest?.forget()
    if job.kind.contains(.read) { job.waiter.loseClaims() }
    job.waiter = nil
  }

  /// A key that no job touches any more is forgotten; it is released after the unlock.
  private func forgetIfUnused(_ queue: KeyQueue, _ effects: inout Effects) {
    guard queue.isUnused else { return }
    effects.resumeAll(&queue.drainers)
    queue.forget()
    effects.released.append(queue)
  }
}

// MARK: - Leaving

extension ClaimTable {
  /// A caller or a submitted job was cancelled.
  package mutating func leave(_ waiter: Waiter, _ why: JobRejection) -> Departure {
    switch waiter.state {
    case .waiting:
      waiter.reject(why)
      var effects = Effects()
      effects.resume(waiter)
      if waiter.isDrainer {
        stopDraining(waiter)
      } else {
        let job = JobClaim.of(waiter)
        if job.isToldByItsCause { countUntold(waiter, 1) }
        countWaiting(job, -1)
        unlist(job)
        remove(job, &effects)
        advance(&effects)
      }
      return .left(effects)
    case .granted where !waiter.isDrainer:
      waiter.revoke(why)
      JobClaim.of(waiter).latest?.forget()
      if JobClaim.of(waiter).isToldByItsCause { countUntold(waiter, 1) }
      return .revoked
    case .running: return JobClaim.of(waiter).waiter === waiter ? .running : .gone
    case .granted, .revoked, .rejected: return .gone
    }
  }

  private mutating func stopDraining(_ waiter: Waiter) {
    let queue = KeyQueue.drained(by: waiter)
    if queue === all { drainers.remove(waiter) } else { queue.drainers.remove(waiter) }
  }

  /// Rejects every job of the queue that has not begun, and cancels those of its jobs that run in tasks of their own.
  ///
  /// Callers whose jobs run are cancelled only if that is asked for.
  package mutating func withdraw(from queue: KeyQueue, cancelsCallers: Bool = false) -> Withdrawal {
    var withdrawal = Withdrawal(rejected: [])
    var jobs: [JobClaim] = []
    for job in self.jobs(of: queue) {
      let waiter = job.waiter!
      switch waiter.state {
      case .waiting:
        jobs.append(job)
        withdrawal.rejected.append(waiter)
        waiter.reject(.withdrawn)
      case .granted:
        withdrawal.rejected.append(waiter)
        waiter.revoke(.withdrawn)
        job.latest?.forget()
      case .running where waiter.isSubmitted: withdrawal.effects.cancelled.append(contentsOf: waiter.cancelRunning())
      case .running where cancelsCallers:
        if let pin = waiter.holdCaller() { withdrawal.effects.cancelledCallers.append(pin) }
      case .running, .revoked, .rejected: break
      }
    }
    for waiter in withdrawal.rejected {
      countUntold(waiter, 1)
      waiter.resume(into: &withdrawal.effects)
    }
    for job in jobs {
      countWaiting(job, -1)
      unlist(job)
      remove(job, &withdrawal.effects)
    }
    advance(&withdrawal.effects)
    return withdrawal
  }

  /// The rejections of these jobs have been reported, which callers of `drain` may have waited for.
  package mutating func told(_ waiters: [Waiter]) -> Effects {
    // A caller may have found the line free meanwhile, and callers of `drain` wait for that one too.
    settleSolo()
    var effects = Effects()
    for waiter in waiters {
      countUntold(waiter, -1)
      let job = JobClaim.of(waiter)
      job.forEachClaim { if $0 !== job { forgetIfUnused($0.queue, &effects) } }
    }
    advance(&effects)
    return effects
  }

  mutating func countUntold(_ waiter: Waiter, _ difference: Int) {
    untold += difference
    JobClaim.of(waiter).forEachClaim { $0.queue.untold += difference }
  }
}

// MARK: - Closing, draining

extension ClaimTable {
  package mutating func close() { isClosed = true }

  /// Whether the caller of `drain` or `pauseAndWait` has to wait, and what it raises; it knows its queue.
  package mutating func drain(_ waiter: Waiter) -> Arrival {
    settle()
    if waiter.pauses {
      pause()
      if running == unbegun { return .granted }
      drainers.append(waiter)
      checkInvariants()
      return .waiting(escalateRunning(to: waiter.priority))
    }
    let queue = KeyQueue.drained(by: waiter)
    if queue === all ? isIdle : queue.isUnused { return .granted }
    if queue === all { drainers.append(waiter) } else { queue.drainers.append(waiter) }
    checkInvariants()
    return .waiting(escalate(everyJobOf: queue, to: waiter.priority))
  }
}
