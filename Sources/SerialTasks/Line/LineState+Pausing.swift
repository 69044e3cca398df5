// Pauses: what they hold back, and what goes on all the same, because a job that runs waits for it.

extension LineState {
  /// Holds jobs back: reads that have not begun wait again at once; any other job does when it would begin.
  package mutating func pause() {
    isPaused = true
    if reading == 0 { return }
    for job in jobs(of: nil).reversed() where job.kind.isSuperset(of: [.read, .slot]) {
      if case .granted = job.state, !mayBeginInPause(job) { waitAgain(job) }
    }
  }

  package mutating func resume() -> Effects {
    isPaused = false
    if hasLetPass {
      hasLetPass = false
      for job in jobs(of: nil) { job.notes.remove(.beginsInPause) }
    }
    // No job was raised for a slot while no job could get one.
    slots?.newlyReady = slots?.waiting.first.map { ObjectIdentifier($0.owner!) }
    var effects = Effects()
    effects.resumePausers(of: &drainers, rejecting: .withdrawn)
    for job in heldBack { granted.append(job) }
    advance(&effects)
    return effects
  }

  /// The jobs that the pause alone holds back, in the order of their places.
  private var heldBack: [Job] {
    if waiting == 0 { return [] }
    var jobs: [Job] = []
    func look(_ place: Linked) {
      if place.isJob, place.claimant.isWaiting, place.claimant.pending == 0, !needsSlot(place.claimant) {
        jobs.append(place.claimant)
      }
    }
    table?.forEachQueue { queue in
      var place = queue.places.first
      while let ready = place, ready.isReady {
        look(ready)
        place = ready.next
      }
    }
    if let first = whole.first { look(first) }
    return jobs.sorted { $0.place < $1.place }
  }

  /// Puts a job back that was granted its turn: the line was paused, and it waits again, before all others.
  mutating func waitAgain(_ job: Job) {
    endTurn(of: job)
    job.waitAgain()
    countWaiting(job, 1)
    if let slots, needsSlot(job) {
      job.notes.insert(.awaitsSlot)
      slots.waiting.prepend(giveTurnEarly(to: job))
    }
    checkInvariants()
  }

  /// Lets reads inside turns go before a job that waits again, because the line was paused: those turns go on, and wait for the reads.
  ///
  /// A job that had its turn at once waits from then on.
  package mutating func giveWay(_ job: Job, waitingSince start: WaitStart) -> Effects {
    var effects = Effects()
    guard job.isPresent, job.isWaiting else { return effects }
    // Of one that had to wait, it is noted where it was handed in, with how many were ahead.
    if job.start == WaitStart() { note(job, waitsSince: start) }
    job.forEachPlace { place, queue in queue.giveWay(place) { list($0) } }
    if job.pending > 0 {
      unlist(job)
      effects.escalations = escalate(aheadOf: job, to: job.raisedTo)
    }
    advance(&effects)
    return effects
  }

  /// Returns whether a pause does not hold the job back.
  ///
  /// It is a read of a job that runs, it was let pass, or callers wait for the end of the job that it is a part of.
  func mayBeginInPause(_ job: Job) -> Bool {
    job.kind.contains(.first) || job.notes.contains(.beginsInPause) || job.kind.contains(.part) && awaitsPause
  }

  /// Whether callers of `pauseAndWait` wait for the end of what runs.
  var awaitsPause: Bool {
    var awaitsPause = false
    drainers.forEach { if $0.pauses { awaitsPause = true } }
    return awaitsPause
  }

  /// Returns whether a job that runs waits for the end of this one in its turn.
  func isPart(_ job: Job) -> Bool {
    job.kind.contains(.part) || awaited[ObjectIdentifier(job)] != nil || drains(metBy: job).contains { $0.isPart }
  }

  /// Notes that a job that runs waits for the end of this one.
  package mutating func noteAwaited(_ job: Job) -> Effects {
    var effects = Effects()
    awaited[ObjectIdentifier(job), default: 0] += 1
    guard awaitsPause, job.isPresent else { return effects }
    letPass(job, &effects)
    advance(&effects)
    return effects
  }

  package mutating func noteAwaitedNoMore(_ job: Job) {
    guard let count = awaited[ObjectIdentifier(job)] else { return }
    awaited[ObjectIdentifier(job)] = count == 1 ? nil : count - 1
  }

  /// Lets all pass that is a part of what callers of `pauseAndWait` wait for, who have come.
  mutating func letPartsPass(_ effects: inout Effects) {
    for job in jobs(of: nil) where isPart(job) { letPass(job, &effects) }
    advance(&effects)
  }

  /// Lets the job begin in spite of a pause, and what it waits for.
  mutating func letPass(_ job: Job, _ effects: inout Effects) {
    hasLetPass = true
    var work = [job]
    while let job = work.popLast() {
      if job.notes.contains(.beginsInPause) { continue }
      job.notes.insert(.beginsInPause)
      guard job.isWaiting else { continue }
      if job.pending == 0, !needsSlot(job) { granted.append(job) }
      release(job, &effects)
      forEachInTheWay(of: job, lasting: false) { work.append($1) }
    }
  }

  /// Returns the first job that has all but a slot, and may begin in the pause.
  func nextInPause(_ slots: Slots) -> Job? {
    var turn = slots.waiting.first
    while let job = turn?.owner {
      if mayBeginInPause(job) { return job }
      turn = slots.waiting.after(turn!)
    }
    return nil
  }
}
