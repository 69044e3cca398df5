// Drafts: jobs that have their places, and wait a little for a newer one that replaces them.

/// How long a job waits for a newer one that replaces it.
@usableFromInline
package struct DraftPause: Sendable {
  /// How long after the newest came.
  let after: Duration
  /// How long after the first came, at most.
  let atMost: Duration?

  /// Returns `nil` if there is nothing to wait for.
  @usableFromInline
  package init?(after: Duration?, atMost: Duration?) {
    guard let after, after > .zero, atMost.map({ $0 > .zero }) ?? true else { return nil }
    (self.after, self.atMost) = (after.bounded, atMost?.bounded)
  }

  /// When the wait is over, of a job whose first came then.
  @usableFromInline
  func end(at now: Duration, since first: Duration) -> Duration {
    min(now + after, atMost.map { first + $0 } ?? now + after)
  }
}

/// Ends its limit when it is released, which happens outside of all locks.
final class DraftTimer: Sendable {
  private let limit: TimeLimit

  init(_ limit: TimeLimit) { self.limit = limit }

  deinit { limit.end() }
}

extension LatestEntry {
  /// Holds the job back, which has just come or has just been replaced.
  ///
  /// - Returns: For how long to set a timer; `nil` if one is set that passes before.
  @usableFromInline
  package final func hold(_ pause: DraftPause, at now: Duration) -> Duration? {
    if due == nil { firstCame = now }
    let end = pause.end(at: now, since: firstCame)
    due = end
    if let timerEnds, timerEnds <= end { return nil }
    timerEnds = end
    return end - now
  }
}

extension JobClaim {
  /// Whether it waits for a newer one that replaces it.
  package var isDraft: Bool { latest?.due != nil }
}

extension ClaimTable {
  /// A newer job has replaced a draft: it waits anew, or not at all; returns for how long to set a timer, if one is needed.
  @usableFromInline
  package mutating func hold(
    _ job: JobClaim, _ pause: DraftPause?, at now: Duration, _ effects: inout Effects
  ) -> Duration? {
    guard job.isDraft else { return nil }
    if let pause { return job.latest!.hold(pause, at: now) }
    release(job, &effects)
    advance(&effects)
    return nil
  }

  /// Lets a draft go on, and returns whether it was one.
  @discardableResult
  mutating func release(_ job: JobClaim, _ effects: inout Effects) -> Bool {
    guard job.isDraft else { return false }
    endPause(of: job, &effects)
    job.pending -= 1
    if job.pending == 0 { list(job) }
    return true
  }

  /// The draft waits no more for a newer one; its timer ends with the effects.
  mutating func endPause(of job: JobClaim, _ effects: inout Effects) {
    guard let entry = job.latest, entry.due != nil else { return }
    entry.due = nil
    drafts -= 1
    if let timer = entry.timer.take() { effects.released.append(timer) }
  }

  /// Lets go on what is held back and in the way of a job that has come.
  package mutating func makeWay(for waiter: Waiter) -> Effects {
    var effects = Effects()
    guard waiter.isWaiting else { return effects }
    let job = JobClaim.of(waiter)
    if drafts > 0 { releaseDrafts(inTheWayOf: job, &effects) }
    if awaitsPause, isPart(job) { letPass(job, &effects) }
    advance(&effects)
    return effects
  }

  private mutating func releaseDrafts(inTheWayOf job: JobClaim, _ effects: inout Effects) {
    var ahead: [JobClaim] = []
    job.forEachClaim { claim in
      if claim.isReady { return }
      claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false) { ahead.append($0.job) }
    }
    for job in ahead { release(job, &effects) }
  }

  /// Lets go on what is held back, and that a caller of `drain` or `pauseAndWait` waits for.
  package mutating func makeWay(forDrainer drainer: Waiter) -> Effects {
    var effects = Effects()
    guard drainer.isWaiting else { return effects }
    if drainer.pauses {
      letPartsPass(&effects)
      return effects
    }
    let queue = KeyQueue.drained(by: drainer)
    effects = releaseDrafts(of: queue)
    if awaitsPause, (drainer as? NestedDrainer)?.isPart == true {
      for job in jobs(of: queue) { letPass(job, &effects) }
      advance(&effects)
    }
    return effects
  }

  /// Lets the drafts go on that can begin, before the line is paused.
  package mutating func releaseDraftsBeforePause() -> Effects {
    let drafts = drafts == 0 ? [] : jobs(of: all).filter(\.isDraft)
    let effects = releaseDrafts(of: all)
    for job in drafts where !job.isWaiting {
      job.beginsInPause = true
      hasLetPass = true
    }
    return effects
  }

  /// Lets the drafts of the queue go on.
  package mutating func releaseDrafts(of queue: KeyQueue) -> Effects {
    var effects = Effects()
    if drafts == 0 { return effects }
    for job in jobs(of: queue) { release(job, &effects) }
    advance(&effects)
    return effects
  }

  /// The timer of a draft has passed; returns for how long to set another, if a newer job has come meanwhile.
  package mutating func passDraft(_ job: JobClaim, at now: Duration, _ effects: inout Effects) -> Duration? {
    guard let entry = job.latest, let due = entry.due else { return nil }
    if due > now {
      if let timer = entry.timer.take() { effects.released.append(timer) }
      entry.timerEnds = due
      return due - now
    }
    release(job, &effects)
    advance(&effects)
    return nil
  }
}

extension ClaimLine {
  /// Sets the timer of a draft that has come.
  ///
  /// A newer job that replaces the draft leaves a timer as it is that passes before, and looks again then.
  @usableFromInline
  final func setTimer(of job: JobClaim, _ duration: Duration) {
    let limit = limits.start(duration) { [weak self] in self?.passDraft(job) }
    let timer = DraftTimer(limit)
    // One that is not needed any more is released after the unlock.
    _ = state.withLock { _ -> DraftTimer? in
      guard let entry = job.latest, entry.due != nil else { return timer }
      let older = entry.timer
      entry.timer = timer
      return older
    }
  }

  private final func passDraft(_ job: JobClaim) {
    let now = clock.now
    let (effects, rest) = state.withLock { table in
      var effects = Effects()
      let rest = table.passDraft(job, at: now, &effects)
      return (effects, rest)
    }
    carryOut(effects)
    if let rest { setTimer(of: job, rest) }
  }

  /// Lets go on what is held back and in the way of a job that has come.
  final func makeWay(for waiter: Waiter) {
    guard JobClaim.of(waiter).meetsHeldBack else { return }
    carryOut(state.withLock { $0.makeWay(for: waiter) })
    pending.goOn()
  }
}
