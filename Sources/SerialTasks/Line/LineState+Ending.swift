// How jobs begin, end, and leave.

import Synchronization

extension LineState {
  /// Lets the job go on: the last moment at which it can be rejected.
  package mutating func begin(_ job: Job) -> Beginning {
    if case .granted = job.state, isPaused, !mayBeginInPause(job) {
      waitAgain(job)
      return .waitAgain
    }
    let beginning = job.begin()
    if case .run = beginning { job.latest?.forget() }
    return beginning
  }

  /// How a turn was handed on in the commonest case, which needs no effects: from a job to the next, neither of which was raised.
  package enum ShortEnding: Sendable {
    case handedOn(to: Suspension?)
    /// Nothing has changed: ``finish(_:)`` does it.
    case none
  }

  /// Ends the job's turn and hands it on, if the next job that waits is the only one that this concerns.
  package mutating func finishShortly(_ job: Job) -> ShortEnding {
    guard mayHandOn(job), job.pin == nil, let next = nextInLine(after: job), next.raisedTo <= next.priority,
      !next.isDetached
    else { return .none }
    handOn(from: job, to: next)
    next.state = .granted
    checkInvariants()
    return .handedOn(to: next.takeSuspension())
  }

  /// Ends the turn of a job that ran in a task found for it, and lets the next job run in the same task: it has the turn, and begins.
  ///
  /// - Returns: The next job; `nil` if it does not run there, and then nothing has changed, and ``finish(_:)`` does it.
  package mutating func handOn(from job: Submission) -> Submission? {
    guard mayHandOn(job), let next = nextInLine(after: job), next.isDetached else { return nil }
    // Safe because only submissions are detached.
    let submission = unsafeDowncast(next, to: Submission.self)
    guard submission.mayRun(inTaskOf: job) else { return nil }
    handOn(from: job, to: submission)
    submission.start(inTaskOf: job)
    checkInvariants()
    return submission
  }

  /// Returns whether no more than the queue of the job is concerned when it ends.
  @inline(__always)
  private func mayHandOn(_ job: Job) -> Bool {
    !isPaused && slots == nil && !job.kind.contains(.read) && job.claims == nil
      && (job !== lightJob || job.touchesEveryKey)
  }

  /// Returns the job that has its turn when this one has ended, if that is all that it changes.
  @inline(__always)
  private func nextInLine(after job: Job) -> Job? {
    guard let queue = job.queue else { return whole.next(after: job) }
    return whole.isEmpty ? queue.next(after: job) : nil
  }

  /// Moves the turn of a job to the next in its queue.
  @inline(__always)
  private mutating func handOn(from job: Job, to next: Job) {
    if let queue = job.queue {
      queue.dropFirst(for: next)
      queue.users -= 1
      queue.waiting -= 1
      whole.closeOne()
    } else {
      whole.dropFirst(for: next)
      if job === lightJob { lightJob = nil }
    }
    job.turn.take()?.give(to: next)
    job.notes.remove(.isPresent)
    present -= 1
    waiting -= 1
    if waiting == 0 { line.hasWaiters.store(false, ordering: .relaxed) }
  }

  /// Ends the job's turn and hands it on.
  package mutating func finish(_ job: Job) -> Ending {
    var effects = Effects()
    finish(job, &effects)
    return Ending(effects: effects, pin: job.pin)
  }

  mutating func finish(_ job: Job, _ effects: inout Effects) {
    endTurn(of: job)
    remove(job, &effects)
    advance(&effects)
  }

  /// Takes the job out of all queues.
  ///
  /// The caller holds it, so it does not end here.
  private mutating func remove(_ job: Job, _ effects: inout Effects) {
    if job.touchesEveryKey {
      if whole.remove(job) {
        while let opened = whole.takeOpened() { if opened.pending == 0, opened.isWaiting { list(opened) } }
        if let next = whole.unblockFirst(), next.isWaiting { list(next) }
      }
    } else {
      if !job.touchesNoKey, let next = whole.removeKeyed(job), next.isWaiting { list(next) }
      job.forEachPlace { place, queue in
        queue.remove(place) { other in if other.isWaiting { list(other) } }
        queue.users -= 1
        endDrains(of: queue, &effects)
      }
    }
    job.notes.remove(.isPresent)
    present -= 1
    endPause(of: job, &effects)
    job.latest?.forget()
    job.losePlaces()
  }

  /// Whether a newer job may run in the place of this one: all that has come since may share what it touches, or touches nothing of it.
  @usableFromInline
  package func isNewest(_ job: Job) -> Bool {
    var isNewest = job.touchesNoKey || whole.lastPlace <= job.place
    job.forEachPlace { if !$1.isLastAlone(job.place) { isNewest = false } }
    return isNewest
  }

  /// Puts a newer job in the place of an older one that has not begun.
  ///
  /// The older one's task goes on, and ends.
  @usableFromInline
  package mutating func replace(_ older: Job, by newer: Job) -> (arrival: Arrival, effects: Effects) {
    newer.place = older.place
    newer.state = older.state
    newer.kind = older.kind
    newer.notes = older.notes
    newer.pending = older.pending
    newer.awaitsTask = true
    newer.queue = older.queue
    // The older one keeps them too, for its events.
    newer.claims = older.claims
    older.turn.take()?.give(to: newer)
    var claim = newer.claims
    while let place = claim {
      place.job = newer
      claim = place.sibling
    }
    if let queue = newer.queue { queue.replace(older, by: newer) } else { whole.replace(older, by: newer) }
    older.notes = []
    let raisedTo = older.raisedTo
    newer.raisedTo = max(newer.priority, raisedTo)
    older.state = .rejected(.withdrawn)
    var effects = Effects()
    effects.resume(older)
    if case .granted = newer.state { return (.granted, effects) }
    newer.start = WaitStart(ahead: newer.latest?.ahead ?? 0)
    return (.waiting(newer.priority > raisedTo ? escalate(aheadOf: newer, to: newer.priority) : .none), effects)
  }
}

// MARK: - Leaving

extension LineState {
  /// Takes out a job, or a caller of `drain`, that was cancelled or must not wait.
  package mutating func leave(_ waiter: Waiter, _ why: JobRejection) -> Departure {
    if waiter.isDrainer { return leave(LineDrainer.cast(waiter), why) }
    // Safe because only jobs and callers of `drain` wait in a line.
    let job = unsafeDowncast(waiter, to: Job.self)
    if why == .cancelled, job.isPresent, job.isSubmitted || !job.hasBegun { interruptions += 1 }
    switch job.state {
    case .waiting:
      job.reject(why)
      var effects = Effects()
      effects.resume(job)
      if job.isToldByItsCause { countUntold(job, 1) }
      countWaiting(job, -1)
      unlist(job)
      remove(job, &effects)
      advance(&effects)
      return .left(effects)
    case .granted:
      job.revoke(why)
      job.latest?.forget()
      if job.isToldByItsCause { countUntold(job, 1) }
      return .revoked
    case .running: return job.isPresent ? .running : .gone
    case .revoked, .rejected: return .gone
    }
  }

  private mutating func leave(_ drainer: LineDrainer, _ why: JobRejection) -> Departure {
    guard drainer.isWaiting else { return .gone }
    drainer.reject(why)
    if let queue = drainer.queue { queue.drainers.remove(drainer) } else { drainers.remove(drainer) }
    var effects = Effects()
    effects.resume(drainer)
    return .left(effects)
  }

  /// Rejects every job of the queue, or of all, that has not begun, and cancels those that run in tasks of their own.
  ///
  /// Callers whose jobs run are cancelled only if that is asked for.
  package mutating func withdraw(from queue: KeyQueue? = nil, cancelsCallers: Bool = false) -> Withdrawal {
    var withdrawal = Withdrawal(rejected: [])
    var jobs: [Job] = []
    for job in self.jobs(of: queue) {
      switch job.state {
      case .waiting:
        jobs.append(job)
        withdrawal.rejected.append(job)
        job.reject(.withdrawn)
      case .granted:
        withdrawal.rejected.append(job)
        job.revoke(.withdrawn)
        job.latest?.forget()
      case .running where job.isSubmitted:
        interruptions += 1
        withdrawal.effects.cancelled.append(contentsOf: job.cancelRunning())
      case .running where cancelsCallers:
        interruptions += 1
        if let pin = job.holdCaller() { withdrawal.effects.cancelledCallers.append(pin) }
      case .running, .revoked, .rejected: break
      }
    }
    interruptions += withdrawal.rejected.count
    for job in withdrawal.rejected {
      countUntold(job, 1)
      job.resume(into: &withdrawal.effects)
    }
    for job in jobs {
      countWaiting(job, -1)
      unlist(job)
      remove(job, &withdrawal.effects)
    }
    advance(&withdrawal.effects)
    return withdrawal
  }

  /// Notes that the rejections of these jobs have been reported, which callers of `drain` may have waited for.
  package mutating func told(_ jobs: [Job]) -> Effects {
    // A caller may have found the line free meanwhile, and callers of `drain` wait for that one too.
    settleLight()
    var effects = Effects()
    for job in jobs {
      countUntold(job, -1)
      job.forEachPlace { endDrains(of: $1, &effects) }
    }
    advance(&effects)
    return effects
  }

  mutating func countUntold(_ job: Job, _ difference: Int) {
    untold += difference
    job.forEachPlace { $1.untold += difference }
  }
}
