// What is in the way of a job: for deadlocks and for priority.

extension ClaimTable {
  /// Which turns must end before the waiter goes on.
  package mutating func blockers(of waiter: Waiter) -> Blockers {
    guard waiter.isWaiting else { return .none }
    var search = BlockerSearch()
    if waiter.isDrainer {
      settle()
      let queue = KeyQueue.drained(by: waiter)
      queue.forEachInTheWay(of: nil, shared: false, first: false, lasting: true) { search.add($0.job) }
      if queue === all {
        keyless.forEachInTheWay(of: nil, shared: false, first: false, lasting: true) { search.add($0.job) }
      }
    } else {
      search.add(JobClaim.of(waiter))
    }
    return blockers(&search)
  }

  /// Which turns must end before the submitted job has ended.
  package func blockers(ofEndOf waiter: Waiter) -> Blockers {
    let job = JobClaim.of(waiter)
    guard waiter.rejection == nil, job.waiter != nil else { return .none }
    var search = BlockerSearch()
    search.add(job)
    return blockers(&search)
  }

  /// Which turns must end before a job could run that comes now.
  ///
  /// - Parameters:
  ///   - queues: Those of the keys that it touches, as far as they exist; `nil` for every key.
  ///   - touchesNothing: Whether it touches no key.
  ///   - kind: What it is.
  /// - Returns: What is in its way; nothing, if it would run at once.
  @usableFromInline
  package func blockersOfNewJob(touching queues: [KeyQueue]?, touchesNothing: Bool, kind: JobClaim.Kind) -> Blockers {
    var search = BlockerSearch()
    let (isNested, isFirst) = (kind.contains(.nested), kind.contains(.first))
    func look(in queue: KeyQueue, shared isShared: Bool, first isFirst: Bool) {
      if queue.admits(shared: isShared, first: isFirst) { return }
      queue.forEachInTheWay(of: nil, shared: isShared, first: isFirst, lasting: true) { search.add($0.job) }
    }
    if !touchesNothing { look(in: all, shared: queues != nil, first: isNested) }
    for queue in queues ?? [] { look(in: queue, shared: kind.contains(.read), first: isFirst) }
    search.awaitsSlot = kind.contains(.slot) && slotsTaken >= slots ?? .max
    return blockers(&search)
  }

  /// Follows jobs that wait to those that run.
  private func blockers(_ search: inout BlockerSearch) -> Blockers {
    while let job = search.waiting.popLast() {
      job.forEachClaim { claim in
        if claim.isReady { return }
        claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false, lasting: true) {
          search.add($0.job)
        }
      }
      if needsSlot(job), slotsTaken >= slots ?? .max { search.awaitsSlot = true }
    }
    return Blockers(all: search.running, any: search.awaitsSlot ? turnsOfSlotHolders : [])
  }

  private struct BlockerSearch {
    var running: [WaitNode] = []
    var waiting: [JobClaim] = []
    /// Whether one of those met waits for a slot, or will.
    var awaitsSlot = false
    private var seen: Set<ObjectIdentifier> = []

    mutating func add(_ job: JobClaim) {
      guard seen.insert(ObjectIdentifier(job)).inserted else { return }
      if job.isWaiting { waiting.append(job) } else if let node = job.waiter.node { running.append(node) }
    }
  }

  private var turnsOfSlotHolders: [WaitNode] {
    var turns: [WaitNode] = []
    slotHolders.forEach { if let turn = $0.waiter.node { turns.append(turn) } }
    return turns
  }

  /// The jobs of the queue, in the order of their places but for nested ones.
  ///
  /// Those of the queue of all jobs include those that touch no key.
  func jobs(of queue: KeyQueue) -> [JobClaim] {
    var jobs: [JobClaim] = []
    queue.forEach { jobs.append($0.job) }
    if queue !== all || keyless.isEmpty { return jobs }
    keyless.forEach { jobs.append($0.job) }
    return jobs.sorted { $0.waiter.place < $1.waiter.place }
  }
}

// MARK: - Priority

extension ClaimTable {
  /// What delays the job should not run at a lower priority.
  ///
  /// Each job is visited once for each distinct priority, however many are in the way.
  mutating func escalate(aheadOf job: JobClaim, to priority: UInt8) -> Few<Escalation> {
    var escalations = Few<Escalation>.none
    var work = [job]
    while let job = work.popLast() {
      job.forEachClaim { claim in
        if claim.isReady || !claim.isShared && claim.floor >= priority { return }
        if !claim.isShared { claim.floor = priority }
        claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false) { ahead in
          escalate(ahead.job, to: priority, &escalations, &work)
        }
      }
      guard needsSlot(job), slotsTaken >= slots ?? .max else { continue }
      escalateSlotHolders(to: priority, &escalations)
      var ahead = job.isListed ? job.previousReady : readyForSlot.last
      while let other = ahead, other.waiter.raisedTo < priority {
        escalate(other, to: priority, &escalations, &work)
        ahead = other.previousReady
      }
    }
    return escalations
  }

  private mutating func escalateSlotHolders(to priority: UInt8, _ escalations: inout Few<Escalation>) {
    guard slotFloor < priority else { return }
    slotFloor = priority
    var (holder, work) = (slotHolders.first, [JobClaim]())
    while let job = holder {
      escalate(job, to: priority, &escalations, &work)
      holder = job.nextReady
    }
  }

  /// What has come to wait for a slot in this step raises what goes before it.
  ///
  /// From the last to the first: what is new, and of what was there before, what was not raised so high.
  mutating func escalateBeforeNewlyReady() -> Few<Escalation> {
    var (escalations, work) = (Few<Escalation>.none, [JobClaim]())
    var (priority, isNew): (UInt8, Bool) = (0, true)
    var cursor = readyForSlot.last
    while let job = cursor, isNew || job.waiter.raisedTo < priority {
      escalate(job, to: priority, &escalations, &work)
      priority = job.waiter.raisedTo
      if newlyReady == ObjectIdentifier(job) { isNew = false }
      cursor = job.previousReady
    }
    escalateSlotHolders(to: priority, &escalations)
    return escalations
  }

  private func escalate(
    _ job: JobClaim, to priority: UInt8, _ escalations: inout Few<Escalation>, _ work: inout [JobClaim]
  ) {
    let waiter = job.waiter!
    guard waiter.raisedTo < priority else { return }
    waiter.raisedTo = priority
    if job.isWaiting { work.append(job) }
    if waiter.isSubmitted || !job.isWaiting, let escalation = waiter.escalateTurn(to: priority) {
      escalations.append(escalation)
    }
  }

  /// A task of this priority waits for the end of the job.
  @usableFromInline
  package mutating func escalate(_ waiter: Waiter, to priority: UInt8) -> Few<Escalation> {
    guard waiter.raisedTo < priority else { return .none }
    waiter.raisedTo = priority
    var escalations = Few.one(Escalation(target: .job(waiter), priority: priority))
    if waiter.isWaiting { escalations.append(contentsOf: escalate(aheadOf: JobClaim.of(waiter), to: priority)) }
    return escalations
  }

  /// Every job of the queue delays a drain.
  mutating func escalate(everyJobOf queue: KeyQueue, to priority: UInt8) -> Few<Escalation> {
    var escalations = Few<Escalation>.none
    var work: [JobClaim] = []
    for job in jobs(of: queue) { escalate(job, to: priority, &escalations, &work) }
    while let job = work.popLast() { escalations.append(contentsOf: escalate(aheadOf: job, to: priority)) }
    return escalations
  }
}
