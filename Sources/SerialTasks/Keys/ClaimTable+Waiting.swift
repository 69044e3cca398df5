// What is in the way of a job: for deadlocks and for priority.

extension ClaimTable {
  /// Which turns must end before the waiter goes on.
  package mutating func blockers(of waiter: Waiter) -> Blockers {
    guard waiter.isWaiting else { return .none }
    var search = BlockerSearch()
    if waiter.isDrainer {
      settle()
      if waiter.pauses {
        for job in jobs(of: all) where !job.isWaiting { search.add(job) }
        return blockers(&search)
      }
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

  /// Which turns must end before a job could run that comes now; nothing, if it would run at once.
  @usableFromInline
  package func blockers(of job: NewJob) -> Blockers {
    var search = BlockerSearch()
    forEachInTheWay(of: job) { search.add($1) }
    search.awaitsSlot = job.kind.contains(.slot) && slotsTaken >= slots ?? .max
    return blockers(&search)
  }

  /// Where a job that waits meets one that has this turn.
  package func meeting(of waiter: Waiter, with turn: WaitNode) -> KeyedMeeting {
    guard waiter.isWaiting else { return KeyedMeeting() }
    let job = JobClaim.of(waiter)
    return meeting(with: turn, awaitsSlot: needsSlot(job)) { forEachInTheWay(of: job, $0) }
  }

  /// Where a job that comes now would meet one that has this turn.
  package func meeting(of job: NewJob, with turn: WaitNode) -> KeyedMeeting {
    meeting(with: turn, awaitsSlot: job.kind.contains(.slot)) { forEachInTheWay(of: job, $0) }
  }

  private func meeting(
    with turn: WaitNode, awaitsSlot: Bool, _ forEachInTheWay: ((KeyQueue, JobClaim) -> Void) -> Void
  ) -> KeyedMeeting {
    var meeting = KeyedMeeting()
    forEachInTheWay { queue, ahead in
      if meeting.queues.contains(where: { $0 === queue }) { return }
      var search = BlockerSearch()
      search.add(ahead)
      if blockers(&search).all.contains(where: { $0 === turn }) { meeting.queues.append(queue) }
    }
    if meeting.queues.isEmpty, awaitsSlot { meeting.slotHolders = turnsOfSlotHolders }
    // A job of every key is met on all keys that were asked for.
    if meeting.queues.contains(where: { $0 === all }) { meeting.queues = [] }
    return meeting
  }

  /// Follows jobs that wait to those that run.
  private func blockers(_ search: inout BlockerSearch) -> Blockers {
    while let job = search.waiting.popLast() {
      forEachInTheWay(of: job) { search.add($1) }
      if needsSlot(job), slotsTaken >= slots ?? .max { search.awaitsSlot = true }
    }
    return Blockers(all: search.running, any: search.awaitsSlot ? turnsOfSlotHolders : [])
  }

  /// Hands over the jobs that are in the way of one that waits, each with the queue in which it is.
  private func forEachInTheWay(of job: JobClaim, _ body: (KeyQueue, JobClaim) -> Void) {
    job.forEachClaim { claim in
      if claim.isReady { return }
      if let holder = onlyHolder(inTheWayOf: job, claim) { return body(claim.queue, holder) }
      claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false, lasting: true) {
        body(claim.queue, $0.job)
      }
    }
  }

  private func forEachInTheWay(of job: NewJob, _ body: (KeyQueue, JobClaim) -> Void) {
    func look(in queue: KeyQueue, shared isShared: Bool, first isFirst: Bool) {
      if queue.admits(shared: isShared, first: isFirst) { return }
      queue.forEachInTheWay(of: nil, shared: isShared, first: isFirst, lasting: true) { body(queue, $0.job) }
    }
    if !job.touchesNothing { look(in: all, shared: job.queues != nil, first: job.kind.contains(.nested)) }
    for queue in job.queues ?? [] {
      look(in: queue, shared: job.kind.contains(.read), first: job.kind.contains(.first))
    }
  }

  /// The one job to which all lead that are ahead of this claim, however many they are.
  private func onlyHolder(inTheWayOf job: JobClaim, _ claim: Claim) -> JobClaim? {
    // Those ahead wait for nothing else: neither for a job of every key nor, if this one does not, for a slot.
    guard claim.queue === all || all.lastMark == nil, slots == nil || needsSlot(job) else { return nil }
    return claim.queue.onlyHolder
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

/// A job that is about to come.
@usableFromInline
package struct NewJob {
  /// The queues of the keys that it touches, as far as they exist; `nil` for every key.
  let queues: [KeyQueue]?
  let touchesNothing: Bool
  let kind: JobClaim.Kind

  @usableFromInline
  package init(touching queues: [KeyQueue]?, touchesNothing: Bool, kind: JobClaim.Kind) {
    self.queues = queues
    self.touchesNothing = touchesNothing
    self.kind = kind
  }
}

/// Where a job meets one that is in its way: on the keys of these queues, at the slots that these turns have, or, if there are
/// none of both, on all keys that it has asked for.
package struct KeyedMeeting: Sendable {
  package var queues: [KeyQueue] = []
  package var slotHolders: [WaitNode] = []

  /// Returns the same with names, for a line that is called so.
  func named(_ line: @escaping @Sendable () -> String) -> Meeting {
    let (queues, holders) = (queues, slotHolders)
    if !holders.isEmpty {
      return Meeting(between: {
        "slots of \(line()) (\(holders.count), held by \(holders.map(\.jobLabel).joined(separator: ", ")))"
      })
    }
    if queues.isEmpty { return Meeting() }
    return Meeting(label: { line().touching(queues.compactMap(\.label)) })
  }
}

// MARK: - Priority

extension ClaimTable {
  /// What delays the job should not run at a lower priority.
  ///
  /// Each job is visited once for each distinct priority, however many are in the way.
  mutating func escalate(aheadOf job: JobClaim, to priority: UInt8) -> Few<Escalation> {
    if !needsSlot(job), hasRaised(aheadOf: job, to: priority) { return .none }
    var escalations = Few<Escalation>.none
    var work = [job]
    while let job = work.popLast() {
      job.forEachClaim { claim in
        claim.queue.raise(aheadOf: claim, to: priority) { escalate($0.job, to: priority, &escalations, &work) }
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

  /// Whether all that the job waits for on its keys has been raised so high.
  private func hasRaised(aheadOf job: JobClaim, to priority: UInt8) -> Bool {
    var hasRaised = true
    job.forEachClaim { if !$0.isReady, $0.floor < priority { hasRaised = false } }
    return hasRaised
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

  /// Every job that has its turn delays a pause.
  mutating func escalateRunning(to priority: UInt8) -> Few<Escalation> {
    var (escalations, work) = (Few<Escalation>.none, [JobClaim]())
    for job in jobs(of: all) where !job.isWaiting { escalate(job, to: priority, &escalations, &work) }
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
