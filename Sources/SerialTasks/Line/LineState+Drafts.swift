// Drafts: jobs that have their places, and wait a little for a newer one that replaces them.

extension Job {
  /// Whether it waits for a newer one that replaces it.
  package final var isDraft: Bool { kind.contains(.replaceable) && latest?.due != nil }
}

extension LineState {
  /// Lets a draft that a newer job has replaced wait anew, or not at all; returns when a timer has to pass, if one is to be set.
  @usableFromInline
  package mutating func hold(
    _ job: Job, _ pause: DraftPause?, at now: Duration, _ effects: inout Effects
  ) -> Duration? {
    guard job.isDraft else { return nil }
    if let pause { return job.latest!.hold(pause, at: now) }
    release(job, &effects)
    advance(&effects)
    return nil
  }

  /// Lets a draft go on, and returns whether it was one.
  @discardableResult
  mutating func release(_ job: Job, _ effects: inout Effects) -> Bool {
    guard job.isDraft else { return false }
    endPause(of: job, &effects)
    job.pending -= 1
    if job.pending == 0 { list(job) }
    return true
  }

  /// Notes that the draft waits no more for a newer one; its timer ends with the effects.
  mutating func endPause(of job: Job, _ effects: inout Effects) {
    guard job.isDraft, let entry = job.latest else { return }
    entry.due = nil
    drafts -= 1
    if let timer = entry.timer.take() { effects.released.append(timer) }
  }

  /// Lets go on what is held back and in the way of a job that has come.
  package mutating func makeWay(for job: Job) -> Effects {
    var effects = Effects()
    guard job.isWaiting else { return effects }
    if drafts > 0 {
      var ahead: [Job] = []
      forEachInTheWay(of: job) { ahead.append($1) }
      for job in ahead { release(job, &effects) }
    }
    if awaitsPause, isPart(job) { letPass(job, &effects) }
    advance(&effects)
    return effects
  }

  /// Lets go on what is held back, and that a caller of `drain` or `pauseAndWait` waits for.
  package mutating func makeWay(for drainer: LineDrainer) -> Effects {
    var effects = Effects()
    guard drainer.isWaiting else { return effects }
    if drainer.pauses {
      letPartsPass(&effects)
      return effects
    }
    effects = releaseDrafts(of: drainer.queue)
    if awaitsPause, drainer.isPart {
      for job in jobs(of: drainer.queue) { letPass(job, &effects) }
      advance(&effects)
    }
    return effects
  }

  /// Lets the drafts go on that can begin, before the line is paused.
  package mutating func releaseDraftsBeforePause() -> Effects {
    let drafts = drafts == 0 ? [] : jobs(of: nil).filter(\.isDraft)
    let effects = releaseDrafts()
    for job in drafts where !job.isWaiting {
      job.notes.insert(.beginsInPause)
      hasLetPass = true
    }
    return effects
  }

  /// Lets the drafts of the queue go on, or all.
  package mutating func releaseDrafts(of queue: KeyQueue? = nil) -> Effects {
    var effects = Effects()
    if drafts == 0 { return effects }
    for job in jobs(of: queue) { release(job, &effects) }
    advance(&effects)
    return effects
  }

  /// Lets a draft go on whose timer has passed, or returns when another has to pass, if a newer job has come meanwhile.
  package mutating func passDraft(_ entry: LatestEntry, at now: Duration, _ effects: inout Effects) -> Duration? {
    guard let job = entry.job, let due = entry.due else { return nil }
    if due > now {
      if let timer = entry.timer.take() { effects.released.append(timer) }
      entry.timerEnds = due
      return due
    }
    release(job, &effects)
    advance(&effects)
    return nil
  }
}

extension Line {
  /// Sets the timer of a draft that has come.
  ///
  /// A newer job that replaces the draft leaves a timer as it is that passes before, and looks again then.
  @usableFromInline
  final func setTimer(of entry: LatestEntry, at end: Duration) {
    let timer = DraftTimer(limits.start(until: end) { [weak self] in self?.passDraft(entry) })
    // One that is not needed any more is released after the unlock.
    _ = locked { _ -> DraftTimer? in
      // Another may have been decided on since, and set already.
      guard entry.due != nil, entry.timerEnds == end else { return timer }
      let older = entry.timer
      entry.timer = timer
      return older
    }
  }

  private final func passDraft(_ entry: LatestEntry) {
    let now = clock.now
    let (effects, end) = locked { state in
      var effects = Effects()
      let end = state.passDraft(entry, at: now, &effects)
      return (effects, end)
    }
    carryOut(effects)
    if let end { setTimer(of: entry, at: end) }
  }
}
