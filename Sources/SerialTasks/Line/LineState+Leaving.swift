/// The outcome of cancelling a job; ``Job/isToldByItsCause`` says who reports it.
package enum Departure: Sendable {
  /// It left the line at once, with its turn if it had one.
  case left(Effects)
  case running
  case gone
}

@usableFromInline package struct Withdrawal: Sendable {
  /// The rejected jobs, in the order of their places, to be reported before the effects are carried out.
  package internal(set) var rejected: [Job] = []
  package internal(set) var effects = Effects()
  /// Called last.
  var wake: (@Sendable () -> Void)?
}

extension LineState {
  /// Removes a job that was cancelled or must not wait.
  package mutating func leave(_ job: Job, _ why: JobRejection) -> Departure {
    if job.stage == .gone { return .gone }
    if why == .cancelled, job.isSubmitted || !job.hasBegun { interruptions += 1 }
    if job.hasBegun { return .running }
    var effects = Effects()
    job.noteRejection(why)
    job.resume(into: &effects)
    let isTold = job.isToldByItsCause
    if isTold { keepKeys(of: job) }
    remove(job, &effects)
    if isTold { rareState.untold.append(job) } else if rare != nil { countDown(job, &effects) }
    checkInvariants()
    return .left(effects)
  }

  /// Rejects every job of the queue, or of all, that has not begun; cancels running submitted jobs, and callers if
  /// requested.
  @usableFromInline
  package mutating func withdraw(from queue: JobQueue? = nil, cancelsCallers: Bool = false) -> Withdrawal {
    var withdrawal = Withdrawal()
    (queue ?? all).forEachJob { job in
      if !job.hasBegun {
        withdrawal.rejected.append(job)
      } else if job.isSubmitted {
        interruptions += 1
        withdrawal.effects.cancel(job.cancelRunning())
      } else if cancelsCallers {
        interruptions += 1
        if let pin = job.holdCaller() { withdrawal.effects.cancel(pin) }
      }
    }
    interruptions += withdrawal.rejected.count
    // In reverse order: no job that is about to leave becomes ready.
    for job in withdrawal.rejected.reversed() {
      job.noteRejection(.withdrawn)
      keepKeys(of: job)
      remove(job, &withdrawal.effects)
    }
    for job in withdrawal.rejected {
      job.resume(into: &withdrawal.effects)
      rareState.untold.append(job)
    }
    checkInvariants()
    return withdrawal
  }

  /// Keeps the keys of a rejected job until the rejection has been reported: callers of `drain` may wait for that.
  private func keepKeys(of job: Job) { job.forEachKey { $1.untold += 1 } }

  /// Notes that these rejections were reported, for which callers may have waited.
  package mutating func told(_ jobs: [Job]) -> Effects {
    var effects = Effects()
    for job in jobs {
      rare!.untold.remove(job)
      countDown(job, &effects)
      job.forEachKey {
        $1.untold -= 1
        if $1.isUnused { forget($1, &effects) }
      }
    }
    return effects
  }

  /// Notes the rejection of a submitted read, which the cancelling call reports, and for which `drain` waits.
  package mutating func leaves(_ submission: Job, _ read: Job) {
    submission.place = read.place
    rareState.untold.append(submission)
    rareState.drainers.forEach { if $0.waits(for: read) { $0.left += 1 } }
  }
}

// MARK: - Replacing

extension LineState {
  /// Replaces an older job that has not begun; its task continues, and ends.
  @usableFromInline
  package mutating func replace(_ older: Job, by newer: Job, _ effects: inout Effects) -> Arrival {
    newer.place = older.place
    newer.succeed(older)
    newer.awaitsTask = true
    // The older job keeps them too, for its events.
    newer.take(older.touched)
    newer.note = older.note
    if let turn = older.turn.take() { JobTurn.give(turn, to: newer) }
    all.replace(older, by: newer)
    if case .one(let queue) = newer.touched { queue.replace(older, by: newer) }
    older.reject(.withdrawn)
    effects.resume(older)
    let raisedTo = older.raisedTo
    newer.raisedTo = max(newer.priority, raisedTo)
    if !newer.isWaiting { return .granted }
    if newer.priority > raisedTo {
      newer.forEachPlace(all) { $1.highest = max($1.highest, newer.priority) }
      raise(aheadOf: newer, to: newer.priority, &effects)
    }
    return .waiting(ahead: countsAhead ? countAhead(of: newer) : 0)
  }
}

// MARK: - Jobs on hold

extension LineState {
  /// Ends the hold of a job, and of the jobs ahead on its keys.
  @usableFromInline
  package mutating func release(_ job: Job, _ effects: inout Effects) {
    var jobs = Few.one(job)
    while let job = jobs.removeLast() {
      guard job.isOnHold else { continue }
      job.forEachKey { if let ahead = $1.places.before($0)?.claimant, ahead.isOnHold { jobs.append(ahead) } }
      endHold(of: job)
      job.pending -= 1
      if job.pending == 0 { ready(job, &effects) }
    }
  }

  /// Ends the holds of jobs that share a key with an arriving job: it must not wait longer than needed.
  mutating func release(before job: Job, _ effects: inout Effects) {
    if job.touchesEveryKey { return release(in: nil, &effects) }
    job.forEachKey { release(in: $1, &effects) }
  }

  /// Ends the holds on a key, or on all; behind a job on hold, there are only others on its keys.
  mutating func release(in queue: JobQueue?, _ effects: inout Effects) {
    if holds == 0 { return }
    if let queue {
      if let last = queue.places.last?.claimant { release(last, &effects) }
      return
    }
    var held: [Job] = []
    all.forEachJob { if $0.isOnHold { held.append($0) } }
    for job in held { release(job, &effects) }
  }

  mutating func endHold(of job: Job) {
    guard job.isOnHold else { return }
    job.stage = .blocked
    holds -= 1
  }
}
