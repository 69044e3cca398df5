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
///
/// Safe because it is immutable.
final class DraftTimer: @unchecked Sendable {
  private let limit: TimeLimit

  init(_ limit: TimeLimit) { self.limit = limit }

  deinit { limit.end() }
}

extension LatestEntry {
  /// Holds the job back, which has just come or has just been replaced.
  @usableFromInline
  package final func hold(_ pause: DraftPause, at now: Duration) {
    if due == nil { firstCame = now }
    due = pause.end(at: now, since: firstCame)
  }
}

extension JobClaim {
  /// Whether it waits for a newer one that replaces it.
  package var isDraft: Bool { latest?.due != nil }
}

extension ClaimTable {
  /// A newer job has replaced a draft: it waits anew, or not at all.
  @usableFromInline
  package mutating func hold(_ job: JobClaim, _ pause: DraftPause?, at now: Duration, _ effects: inout Effects) {
    guard job.isDraft else { return }
    if let pause { return job.latest!.hold(pause, at: now) }
    release(job, &effects)
    advance(&effects)
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

  /// Lets the drafts go on that are in the way of a job that has come.
  package mutating func releaseDrafts(inTheWayOf waiter: Waiter) -> Effects {
    var effects = Effects()
    guard drafts > 0, waiter.isWaiting else { return effects }
    var ahead: [JobClaim] = []
    JobClaim.of(waiter).forEachClaim { claim in
      if claim.isReady { return }
      claim.queue.forEachInTheWay(of: claim, shared: claim.isShared, first: false) { ahead.append($0.job) }
    }
    for job in ahead { release(job, &effects) }
    advance(&effects)
    return effects
  }

  /// Lets the drafts of the queue go on; if the line is about to be paused, those that can begin now begin all the same.
  package mutating func releaseDrafts(of queue: KeyQueue, isPausing: Bool = false) -> Effects {
    var effects = Effects()
    if drafts == 0 { return effects }
    let released = jobs(of: queue).filter { release($0, &effects) }
    advance(&effects)
    if isPausing { for job in released where !job.isWaiting { job.beginsInPause = true } }
    return effects
  }

  /// The timer of a draft has passed; returns for how long to set another, if a newer job has come meanwhile.
  package mutating func passDraft(_ job: JobClaim, at now: Duration, _ effects: inout Effects) -> Duration? {
    guard let entry = job.latest, let due = entry.due else { return nil }
    if due > now {
      if let timer = entry.timer.take() { effects.released.append(timer) }
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
  /// A newer job that replaces the draft leaves the timer as it is, which looks again when it passes.
  @usableFromInline
  final func setTimer(of job: JobClaim, _ duration: Duration) {
    let limit = limits.start(duration) { [weak self] in self?.passDraft(job) }
    let timer = DraftTimer(limit)
    // One that is not needed any more is released after the unlock.
    state.withLock { _ in
      if let entry = job.latest, entry.due != nil { entry.timer = timer }
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

  /// Lets the drafts go on that are in the way of a job that has come.
  final func releaseDrafts(inTheWayOf waiter: Waiter) {
    guard JobClaim.of(waiter).meetsDrafts else { return }
    carryOut(state.withLock { $0.releaseDrafts(inTheWayOf: waiter) })
  }
}
