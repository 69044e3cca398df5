// A job that delays another should not run at a lower priority.
//
// Ready places ahead of an urgent job are raised at once, and places in between when they become ready (``Urgency``). A
// job is never lowered again.

extension LineState {
  @inline(__always)
  mutating func raise(aheadOf job: Job, to priority: UInt8, _ effects: inout Effects) {
    var isUrgent = job.stage == .awaitsSlot
    job.forEachPlace(all) { place, queue in if !queue.isReady(place), queue.lowest < priority { isUrgent = true } }
    if isUrgent { raiseThoroughly(aheadOf: job, to: priority, &effects) }
  }

  @inline(never)
  private mutating func raiseThoroughly(aheadOf job: Job, to priority: UInt8, _ effects: inout Effects) {
    var search = RaisingSearch(priority: priority, work: .one(job))
    raise(&search, &effects)
  }

  @usableFromInline
  package mutating func raise(_ job: Job, to priority: UInt8, _ effects: inout Effects) {
    guard job.raisedTo < priority else { return }
    var search = RaisingSearch(priority: priority)
    find(job, &search, &effects)
    raise(&search, &effects)
  }

  mutating func raise(aheadOf drainer: LineDrainer, in queue: JobQueue, _ effects: inout Effects) {
    guard queue.lowest < drainer.priority else { return }
    var search = RaisingSearch(priority: drainer.priority)
    queue.highest = max(queue.highest, drainer.priority)
    note(queue, at: lastPlace, &search, &effects)
    // Also what is ahead of it among all jobs.
    if let last = queue.places.last { find(last.claimant, &search, &effects) }
    raise(&search, &effects)
  }

  /// Raises the running jobs, which delay a pause.
  mutating func raiseRunning(to priority: UInt8, _ effects: inout Effects) {
    var search = RaisingSearch(priority: priority)
    forEachRunning { find($0, &search, &effects) }
  }

  private struct RaisingSearch {
    let priority: UInt8
    /// Waiting jobs; what is ahead of them must be raised.
    var work = Few<Job>.none
  }

  private mutating func raise(_ search: inout RaisingSearch, _ effects: inout Effects) {
    while let job = search.work.removeLast() {
      if job.stage == .awaitsSlot, let slots, slots.urgent < search.priority {
        slots.urgent = search.priority
        forEachRunning { if needsSlot($0) { find($0, &search, &effects) } }
      }
      job.forEachPlace(all) { place, queue in
        if !queue.isReady(place) { note(queue, at: job.standing, &search, &effects) }
      }
    }
  }

  /// Raises the ready jobs if the job at the place is the most urgent so far.
  @inline(never)
  private func note(_ queue: JobQueue, at place: Place, _ search: inout RaisingSearch, _ effects: inout Effects) {
    if queue.lowest >= search.priority { return }
    if queue.firstBlocked != nil, !queue.urgency.note(search.priority, at: place) { return }
    queue.forEachReady { find($0, &search, &effects) }
  }

  @inline(never)
  private func find(_ job: Job, _ search: inout RaisingSearch, _ effects: inout Effects) {
    guard job.raisedTo < search.priority else { return }
    job.raisedTo = search.priority
    if job.isWaiting {
      search.work.append(job)
      job.forEachPlace(all) { $1.highest = max($1.highest, search.priority) }
    }
    if job.isSubmitted || !job.isWaiting { effects.escalate(job, to: search.priority) }
  }
}
