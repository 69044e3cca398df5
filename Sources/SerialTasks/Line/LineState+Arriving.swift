// How jobs come, and are granted their turns.

import Synchronization

extension LineState {
  /// Notes what a job touches, which has not come yet: every key, until this is called.
  @usableFromInline
  package mutating func prepare(_ job: Job, touching queue: KeyQueue, _ further: Claim? = nil) {
    job.queue = queue
    job.claims = further
    queue.expected += 1
    var next = further
    while let claim = next {
      claim.job = job
      claim.queue!.expected += 1
      next = claim.sibling
    }
  }

  /// Gives the job its places, and its turn if nothing is in its way; otherwise it waits since this moment, if that is known.
  @usableFromInline
  package mutating func join(_ job: Job, at start: WaitStart = WaitStart()) -> Arrival {
    if isClosed, !job.kind.contains(.first) { return refuse(job, .closed) }
    let mustWait = !isAdmitted(job) || isPaused && !mayBeginInPause(job) || lacksSlot(job) || job.isDraft
    if mustWait, job.kind.contains(.immediate) { return refuse(job, .late) }
    if mustWait, !job.kind.contains(.first), let why = overflow(job) { return refuse(job, why) }
    lastPlace += 1
    job.place = lastPlace
    job.awaitsTask = job.isSubmitted
    present += 1
    takePlaces(job)
    defer { checkInvariants() }
    guard mustWait else {
      grant(job)
      return .granted
    }
    if start.isMoment { note(job, waitsSince: start) } else { noteAhead(of: job) }
    if job.queue != nil, meetsDrains(job) { job.meets(.meetsDrains) }
    if drafts > 0 || awaitsPause && isPart(job) { job.meets(.meetsHeldBack) }
    if job.isDraft {
      job.pending += 1
      drafts += 1
    }
    countWaiting(job, 1)
    if job.pending == 0 { list(job) }
    let escalations = escalate(aheadOf: job, to: job.raisedTo)
    slots?.newlyReady = nil
    return .waiting(escalations)
  }

  @inline(__always)
  private func isAdmitted(_ job: Job) -> Bool {
    if job.touchesEveryKey { return whole.admitsWhole }
    guard job.touchesNoKey || whole.admits(job.kind) else { return false }
    var isAdmitted = true
    job.forEachPlace { if !$1.admits(job.kind) { isAdmitted = false } }
    return isAdmitted
  }

  /// Adds the job to all its queues.
  @inline(__always)
  mutating func takePlaces(_ job: Job) {
    job.notes.insert(.isPresent)
    if job.touchesEveryKey { return whole.add(job) }
    if !job.touchesNoKey { whole.addKeyed(job) }
    job.forEachPlace { place, queue in
      queue.expected -= 1
      queue.users += 1
      if let displaced = queue.add(place, of: job) { unlist(displaced) }
    }
  }

  @inline(__always)
  func lacksSlot(_ job: Job) -> Bool {
    guard let slots, needsSlot(job) else { return false }
    return slots.areTaken
  }

  /// Returns which capacity the job would exceed.
  @inline(__always)
  private func overflow(_ job: Job) -> JobRejection? {
    if waiting >= capacity { return .full(capacity: capacity) }
    return table == nil || job.queue == nil ? nil : overflowOfKeys(job)
  }

  private func overflowOfKeys(_ job: Job) -> JobRejection? {
    if isFull { return .full(capacity: capacity) }
    let capacityPerKey = table!.capacityPerKey
    if capacityPerKey == .max { return nil }
    var isFull = false
    job.forEachPlace { if !$1.isKeyless, $1.waiting >= capacityPerKey { isFull = true } }
    return isFull ? .keyFull(capacity: capacityPerKey) : nil
  }

  private mutating func refuse(_ job: Job, _ why: JobRejection) -> Arrival {
    abandon(job)
    job.reject(why)
    return .rejected(why)
  }

  /// Forgets a job that was prepared and does not come.
  ///
  /// The keys are still the caller's, so that none of them ends here with its queue.
  @usableFromInline
  package mutating func abandon(_ job: Job) {
    job.forEachPlace { _, queue in
      queue.expected -= 1
      forgetIfUnused(queue)
    }
  }
}

// MARK: - Granting

extension LineState {
  /// Notes that no place of the job is blocked; ``advance(_:)`` follows.
  mutating func list(_ job: Job) {
    if let slots, needsSlot(job) {
      if slots.newlyReady == nil { slots.newlyReady = ObjectIdentifier(job) }
      job.notes.insert(.awaitsSlot)
      slots.waiting.append(giveTurnEarly(to: job))
    } else if !isPaused || mayBeginInPause(job) {
      granted.append(job)
    }
  }

  /// Notes that the job waits for more than a slot again, or has left.
  mutating func unlist(_ job: Job) {
    guard job.notes.contains(.awaitsSlot), let turn = job.turn else { return }
    job.notes.remove(.awaitsSlot)
    slots!.waiting.remove(turn)
    releaseTurn(of: job)
  }

  /// Grants their turn to all jobs that may run, and lets callers of `drain` go on when there is none.
  mutating func advance(_ effects: inout Effects) {
    if !granted.isEmpty {
      let jobs = granted
      granted = .none
      jobs.forEach { grant($0, &effects) }
    }
    if let slots {
      if !isPaused {
        while !slots.areTaken, let turn = slots.waiting.first { grantSlot(turn.owner!, &effects) }
        if slots.newlyReady != nil { effects.escalations.append(contentsOf: escalateBeforeNewlyReady(slots)) }
      } else if hasLetPass {
        while !slots.areTaken, let job = nextInPause(slots) { grantSlot(job, &effects) }
      }
      slots.newlyReady = nil
    }
    if !drainers.isEmpty { endDrains(&effects) }
    checkInvariants()
  }

  /// Lets callers of `drain` go on when there is nothing, and callers of `pauseAndWait` when nothing runs.
  package mutating func endDrains(_ effects: inout Effects) {
    if isIdle { effects.resumeAll(&drainers) } else if running == unbegun { effects.resumePausers(of: &drainers) }
  }

  private mutating func grantSlot(_ job: Job, _ effects: inout Effects) {
    slots!.waiting.remove(job.turn!)
    job.notes.remove(.awaitsSlot)
    grant(job, &effects)
  }

  private mutating func grant(_ job: Job, _ effects: inout Effects) {
    countWaiting(job, -1)
    grant(job)
    if job.raisedTo > job.priority, !job.isSubmitted, let escalation = job.escalateTurn(to: job.raisedTo) {
      effects.escalations.append(escalation)
    }
    effects.grant(job)
  }

  @inline(__always)
  mutating func countWaiting(_ job: Job, _ difference: Int) {
    waiting += difference
    if waiting == 0 || waiting == difference { line.hasWaiters.store(waiting > 0, ordering: .relaxed) }
    job.forEachPlace { $1.waiting += difference }
    if difference > 0, let observers { observers.note(self) }
  }
}
