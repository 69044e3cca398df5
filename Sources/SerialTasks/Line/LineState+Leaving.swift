// How jobs leave without running: cancelled, withdrawn, or replaced.

/// The outcome of cancelling a job.
///
/// A caller reports its own cancellation when it resumes. The call that cancels a submitted job reports that.
package enum Departure: Sendable {
  /// It left the line at once, with its turn if it had one.
  case left(Effects)
  /// Its job runs.
  case running
  case gone
}

package struct Withdrawal: Sendable {
  /// The rejected jobs, in the order of their places, to be reported before the effects are carried out.
  package var rejected: [Job] = []
  package var effects = Effects()
}

extension LineState {
  /// Removes a job, or a caller of `drain`, that was cancelled or must not wait.
  package mutating func leave(_ waiter: Waiter, _ why: JobRejection) -> Departure {
    if waiter.isDrainer { return leave(LineDrainer.cast(waiter), why) }
    // Safe because only jobs and callers of `drain` wait in a line.
    let job = unsafeDowncast(waiter, to: Job.self)
    switch job.state {
    case .waiting, .granted:
      if why == .cancelled { interruptions += 1 }
      var effects = Effects()
      let hadTurn = !job.isWaiting
      reject(job, why, &effects)
      let isTold = job.isToldByItsCause
      if isTold { keepKeys(of: job) }
      remove(job, hadTurn: hadTurn, &effects)
      if isTold { rareState.untold.append(job) } else if rare != nil { countDown(job, &effects) }
      checkInvariants()
      return .left(effects)
    case .running:
      if why == .cancelled, job.isSubmitted, job.isPresent { interruptions += 1 }
      return job.isPresent ? .running : .gone
    case .rejected: return .gone
    }
  }

  private func reject(_ job: Job, _ why: JobRejection, _ effects: inout Effects) {
    job.reject(why)
    job.resume(into: &effects)
  }

  /// Rejects every job of the queue, or of all queues, that has not begun, and cancels running submitted jobs.
  ///
  /// Callers whose jobs run are cancelled only if requested.
  package mutating func withdraw(from queue: JobQueue? = nil, cancelsCallers: Bool = false) -> Withdrawal {
    var withdrawal = Withdrawal()
    (queue ?? all).forEachJob { job in
      switch job.state {
      case .waiting, .granted: withdrawal.rejected.append(job)
      case .running where job.isSubmitted:
        interruptions += 1
        withdrawal.effects.cancel(job.cancelRunning())
      case .running where cancelsCallers:
        interruptions += 1
        if let pin = job.holdCaller() { withdrawal.effects.cancel(pin) }
      case .running, .rejected: break
      }
    }
    interruptions += withdrawal.rejected.count
    // In reverse order: no job that is about to leave becomes ready.
    for job in withdrawal.rejected.reversed() {
      let hadTurn = !job.isWaiting
      job.reject(.withdrawn)
      keepKeys(of: job)
      remove(job, hadTurn: hadTurn, &withdrawal.effects)
    }
    for job in withdrawal.rejected {
      job.resume(into: &withdrawal.effects)
      rareState.untold.append(job)
    }
    checkInvariants()
    return withdrawal
  }

  /// Keeps the keys of a rejected job until the rejection has been reported: callers of `drain` may wait for that.
  private func keepKeys(of job: Job) { job.forEachClaim { $0.queue.untold += 1 } }

  /// Notes that these rejections were reported; callers of `drain` and `pauseAndWait` may have waited for that.
  package mutating func told(_ jobs: [Job]) -> Effects {
    var effects = Effects()
    for job in jobs {
      rare!.untold.remove(job)
      countDown(job, &effects)
      job.forEachClaim {
        $0.queue.untold -= 1
        if $0.queue.isUnused { forget($0.queue, &effects) }
      }
    }
    return effects
  }

  /// Notes the rejection of a submitted read's handle, which the cancelling call reports.
  mutating func leaves(_ submission: Job, _ read: Job) {
    submission.place = read.place
    rareState.untold.append(submission)
    countUp(read)
  }
}

// MARK: - Latest wins

extension LineState {
  /// Whether a newer job may take this one's place: no conflicting job except reads has arrived since.
  @usableFromInline
  package func isNewest(_ job: Job) -> Bool {
    var isNewest = true
    job.forEachPlace(all) { if !$1.isLastAlone(job.place) { isNewest = false } }
    return isNewest
  }

  /// Replaces an older job that has not begun by a newer one.
  ///
  /// The task of the older job continues, and ends.
  @usableFromInline
  package mutating func replace(_ older: Job, by newer: Job, _ effects: inout Effects) -> Arrival {
    newer.place = older.place
    newer.state = older.state
    newer.kind = older.kind
    newer.notes = older.notes
    newer.pending = older.pending
    newer.passedPause = older.passedPause
    newer.awaitsTask = true
    // The older job keeps them too, for its events.
    newer.claims = older.claims
    newer.forEachClaim { $0.give(to: newer) }
    older.turn.take()?.give(to: newer)
    all.replace(older, by: newer)
    older.notes = []
    older.state = .rejected(.withdrawn)
    effects.resume(older)
    let raisedTo = older.raisedTo
    newer.raisedTo = max(newer.priority, raisedTo)
    if !newer.isWaiting { return .granted }
    if newer.priority > raisedTo {
      newer.forEachPlace(all) { $1.highest = max($1.highest, newer.priority) }
      raise(aheadOf: newer, to: newer.priority, &effects)
    }
    return .waiting(ahead: line.reporter == nil ? 0 : countAhead(of: newer))
  }

  // MARK: Drafts

  /// Makes the replacement of a draft wait for its own time, or ends the wait.
  @usableFromInline
  package mutating func hold(_ job: Job, _ pause: DraftPause?, at now: Duration, _ effects: inout Effects) {
    guard job.isDraft else { return }
    if let pause { job.latest!.hold(pause, at: now) } else { endDraft(job, &effects) }
  }

  /// Ends the wait of a draft for newer ones, and of the drafts ahead on its keys.
  package mutating func endDraft(_ draft: Job, _ effects: inout Effects) {
    var drafts = Few.one(draft)
    while let draft = drafts.removeLast() {
      guard draft.isDraft else { continue }
      draft.forEachClaim { if let ahead = $0.previous?.claimant, ahead.isDraft { drafts.append(ahead) } }
      noteEnd(ofDraft: draft, &effects)
      draft.pending -= 1
      if draft.pending == 0 { ready(draft, &effects) }
    }
  }

  /// Ends the waits of drafts that share a key with an arriving job, which must not wait until they are due.
  mutating func endDrafts(before job: Job, _ effects: inout Effects) {
    if !job.isShared { return endDrafts(of: nil, &effects) }
    job.forEachClaim { endDrafts(of: $0.queue, &effects) }
  }

  /// Ends the waits of the drafts of a key, or of all keys.
  ///
  /// Only drafts are behind a draft on its keys.
  mutating func endDrafts(of queue: JobQueue?, _ effects: inout Effects) {
    if drafts == 0 { return }
    if let queue {
      if let last = queue.places.last?.claimant, last.isDraft { endDraft(last, &effects) }
      return
    }
    var found: [Job] = []
    all.forEachJob { if $0.isDraft { found.append($0) } }
    for draft in found { endDraft(draft, &effects) }
  }

  /// Notes that the draft no longer waits for a newer one; its timer ends with the effects.
  mutating func noteEnd(ofDraft job: Job, _ effects: inout Effects) {
    job.notes.remove(.isDraft)
    drafts -= 1
    if let entry = job.latest { entry.endHold(&effects) }
  }
}
