// Pauses: what they hold back, and what goes on all the same, because a job that runs waits for it.

extension ClaimTable {
  /// Reads that have not begun wait again at once; any other job does when it would begin.
  package mutating func pause() {
    isPaused = true
    if reading == 0 { return }
    for job in jobs(of: all).reversed() where job.kind.isSuperset(of: [.read, .slot]) {
      if case .granted = job.waiter.state, !mayBeginInPause(job) { waitAgain(job) }
    }
  }

  package mutating func resume() -> Effects {
    isPaused = false
    if hasLetPass {
      hasLetPass = false
      for job in jobs(of: all) { job.beginsInPause = false }
    }
    // No job was raised for a slot while no job could get one.
    newlyReady = readyForSlot.first.map { ObjectIdentifier($0) }
    var effects = Effects()
    effects.resumePausers(of: &drainers, rejecting: .withdrawn)
    advance(&effects)
    return effects
  }

  /// The line was paused after the grant: the job waits again, before all others.
  mutating func waitAgain(_ job: JobClaim) {
    endTurn(of: job)
    job.waiter.waitAgain()
    countWaiting(job, 1)
    if needsSlot(job) { readyForSlot.prepend(job) } else { paused.prepend(job) }
    checkInvariants()
  }

  /// A job waits again, because the line was paused: reads inside turns that wait for it go before it, since those turns go on.
  package mutating func giveWay(_ waiter: Waiter) -> Effects {
    let job = JobClaim.of(waiter)
    var effects = Effects()
    guard job.waiter === waiter, waiter.isWaiting else { return effects }
    job.forEachClaim { claim in
      if claim !== job { claim.queue.giveWay(claim) { list($0) } }
    }
    if job.pending > 0 {
      unlist(job)
      effects.escalations = escalate(aheadOf: job, to: waiter.raisedTo)
    }
    advance(&effects)
    return effects
  }

  /// Whether a pause does not hold the job back.
  ///
  /// It is a read of a job that runs, it was let pass, or callers wait for the end of the job that it is a part of.
  func mayBeginInPause(_ job: JobClaim) -> Bool {
    job.kind.contains(.first) || job.beginsInPause || job.kind.contains(.part) && awaitsPause
  }

  /// Notes that a job has its turn and waits on, which a pause does not wait for; see ``PendingTurns``.
  mutating func countUnbegun() -> Effects {
    var effects = Effects()
    unbegun += 1
    if !drainers.isEmpty { endDrains(&effects) }
    return effects
  }

  /// Whether a pause holds back a job that has its turn and has not begun.
  ///
  /// - Parameters:
  ///   - job: Its claims, if they are known.
  ///   - isNested: Whether it was called in another turn of the line.
  /// - Returns: Whether it must wait for the end of the pause.
  func holdsBack(_ job: JobClaim?, isNested: Bool) -> Bool {
    if !isPaused || awaitsPause && isNested { return false }
    return job.map { !mayBeginInPause($0) && !(awaitsPause && isPart($0)) } ?? true
  }

  /// Whether callers of `pauseAndWait` wait for the end of what runs.
  var awaitsPause: Bool {
    var awaitsPause = false
    drainers.forEach { if $0.pauses { awaitsPause = true } }
    return awaitsPause
  }

  /// Whether a job that runs waits for the end of this one in its turn.
  func isPart(_ job: JobClaim) -> Bool {
    job.kind.contains(.part) || job.awaiting > 0 || job.drains.contains { $0.isPart }
  }

  /// A job that runs waits for the end of this one.
  package mutating func noteAwaited(_ waiter: Waiter) -> Effects {
    var effects = Effects()
    let job = JobClaim.of(waiter)
    job.awaiting += 1
    guard awaitsPause, job.waiter != nil else { return effects }
    letPass(job, &effects)
    advance(&effects)
    return effects
  }

  /// Callers of `pauseAndWait` have come: lets all pass that is a part of what they wait for.
  mutating func letPartsPass(_ effects: inout Effects) {
    for job in jobs(of: all) where isPart(job) { letPass(job, &effects) }
    advance(&effects)
  }

  /// Lets the job begin in spite of a pause, and what it waits for.
  mutating func letPass(_ job: JobClaim, _ effects: inout Effects) {
    hasLetPass = true
    var work = [job]
    while let job = work.popLast() {
      if job.beginsInPause { continue }
      job.beginsInPause = true
      guard job.isWaiting else { continue }
      if !job.isListed {
        release(job, &effects)
      } else if !needsSlot(job) {
        paused.remove(job)
        granted.append(job)
      }
      job.forEachClaim { claim in
        if claim.isReady { return }
        claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false) { work.append($0.job) }
      }
    }
  }

  /// Takes out the first job that has all but a slot, and may begin in the pause.
  mutating func takeReadyInPause() -> JobClaim? {
    var cursor = readyForSlot.first
    while let job = cursor {
      if mayBeginInPause(job) {
        readyForSlot.remove(job)
        return job
      }
      cursor = job.nextReady
    }
    return nil
  }
}
