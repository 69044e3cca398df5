// Priority: what delays a job should not run at a lower one.

extension LineState {
  /// Raises all that the job waits for.
  ///
  /// What a job was raised to, all that it waits for was raised to, too: so each job is visited once for each distinct priority, and a
  /// search ends at what has been raised so high.
  ///
  /// - Returns: Those that are raised.
  mutating func escalate(aheadOf job: Job, to priority: UInt8) -> Few<Escalation> {
    if isRaised(justBefore: job, to: priority) { return .none }
    var search = EscalationSearch(priority: priority)
    search.work.append(job)
    raise(&search)
    return search.escalations
  }

  /// Returns whether the job waits for one other alone, which was raised so high: the commonest case.
  @inline(__always)
  private func isRaised(justBefore job: Job, to priority: UInt8) -> Bool {
    guard job.claims == nil, slots == nil, let previous = job.previous else { return false }
    // It is in the same list, so it needs not be retained.
    return Unmanaged.passUnretained(previous)._withUnsafeGuaranteedRef { previous in
      if !previous.isJob || job.kind.contains(.read) { return false }
      let ahead = previous.claimant
      return !ahead.kind.contains(.read) && ahead.raisedTo >= priority
    }
  }

  private struct EscalationSearch {
    let priority: UInt8
    var escalations = Few<Escalation>.none
    /// Jobs that wait, and for which what is ahead of them is to be raised.
    var work = Few<Job>.none

    mutating func raise(_ job: Job) {
      guard job.raisedTo < priority else { return }
      job.raisedTo = priority
      if job.isWaiting { work.append(job) }
      if job.isSubmitted || !job.isWaiting, let escalation = job.escalateTurn(to: priority) {
        escalations.append(escalation)
      }
    }
  }

  private mutating func raise(_ search: inout EscalationSearch) {
    while let job = search.work.removeLast() {
      if job.touchesEveryKey {
        if !job.isReady { raise(aheadOfWhole: job, &search) }
      } else {
        if let behind = job.behind { search.raise(behind.group.whole) }
        job.forEachPlace { place, queue in
          if !place.isReady { queue.forEachInTheWay(of: place, job.kind) { search.raise($0.claimant) } }
        }
      }
      if let slots, needsSlot(job), slots.areTaken { raise(slots, ahead: job, &search) }
    }
  }

  /// Raises what is ahead of a whole job that stands here, or, if it is `nil`, comes now.
  private mutating func raise(aheadOfWhole job: Job?, _ search: inout EscalationSearch) {
    switch whole.inTheWay(ofWholeBefore: job) {
    case .none: break
    case .whole(let ahead): search.raise(ahead)
    case .group(let group, let last):
      if group.floor >= search.priority { return }
      group.floor = search.priority
      var cursor: Linked? = last
      while let behind = cursor, !behind.isJob {
        search.raise(behind.claimant)
        cursor = behind.previous
      }
      search.raise(group.whole)
    case .open:
      if whole.floor >= search.priority { return }
      whole.floor = search.priority
      forEachOpen { search.raise($0) }
    }
  }

  private func raise(_ slots: Slots, ahead job: Job, _ search: inout EscalationSearch) {
    raise(slots, &search)
    var turn = job.notes.contains(.awaitsSlot) ? slots.waiting.before(job.turn!) : slots.waiting.last
    while let ahead = turn, ahead.owner!.raisedTo < search.priority {
      search.raise(ahead.owner!)
      turn = slots.waiting.before(ahead)
    }
  }

  private func raise(_ slots: Slots, _ search: inout EscalationSearch) {
    guard slots.floor < search.priority else { return }
    slots.floor = search.priority
    slots.forEachHolder { search.raise($0) }
  }

  /// Raises for what has come to wait for a slot in this step what goes before it.
  ///
  /// From the last to the first: what is new, and of what was there before, what was not raised so high.
  mutating func escalateBeforeNewlyReady(_ slots: Slots) -> Few<Escalation> {
    var escalations = Few<Escalation>.none
    var (priority, isNew): (UInt8, Bool) = (0, true)
    var turn = slots.waiting.last
    while let job = turn?.owner, isNew || job.raisedTo < priority {
      var search = EscalationSearch(priority: priority)
      search.raise(job)
      escalations.append(contentsOf: search.escalations)
      priority = job.raisedTo
      if slots.newlyReady == ObjectIdentifier(job) { isNew = false }
      turn = slots.waiting.before(turn!)
    }
    var search = EscalationSearch(priority: priority)
    raise(slots, &search)
    escalations.append(contentsOf: search.escalations)
    return escalations
  }

  /// Raises a job that a task of this priority awaits.
  @usableFromInline
  package mutating func escalate(_ job: Job, to priority: UInt8) -> Few<Escalation> {
    guard job.raisedTo < priority else { return .none }
    job.raisedTo = priority
    var escalations = Few.one(Escalation(target: .job(job), priority: priority))
    if job.isWaiting, job.isPresent { escalations.append(contentsOf: escalate(aheadOf: job, to: priority)) }
    return escalations
  }

  /// Raises every job that has its turn, which delays a pause.
  mutating func escalateRunning(to priority: UInt8) -> Few<Escalation> {
    var search = EscalationSearch(priority: priority)
    for job in jobs(of: nil) where !job.isWaiting { search.raise(job) }
    return search.escalations
  }

  /// Raises every job of the queue, or all, which delay a drain.
  mutating func escalate(everyJobOf queue: KeyQueue?, to priority: UInt8) -> Few<Escalation> {
    var search = EscalationSearch(priority: priority)
    if let queue {
      queue.forEachInTheWay(of: nil, []) { search.raise($0.claimant) }
    } else {
      raise(aheadOfWhole: nil, &search)
      keyless?.places.forEach { search.raise($0.claimant) }
    }
    raise(&search)
    return search.escalations
  }
}
