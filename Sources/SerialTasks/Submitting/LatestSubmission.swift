/// A submitted job that takes the place of an older one with an equal key, and may pass its own to a newer one.
///
/// ```
///   line:  … │ save 1 │ …        save 2 arrives        … │ save 2 │ …      save 1 gets the outcome of save 2
/// ```
///
/// Safe because every mutable property is accessed only under the lock of the line until the job begins or is rejected, and
/// then only by what settles it.
@usableFromInline
package final class LatestSubmission<Success: Sendable>: TypedSubmission<Success>, @unchecked Sendable {
  /// The entry by which a newer job finds it; shared with the job that it replaced, if any.
  @exclusivity(unchecked) @usableFromInline var entry: LatestEntry?

  @inlinable
  init(line: Line, name: String?, priority: TaskPriority) {
    super.init(.submitted, line: line, name: name, priority: priority)
  }

  package override var current: Submission { line.locked { _ in entry?.newest ?? self } }

  package override var newest: Job { entry?.newest ?? self }

  package override var latest: LatestEntry? { entry.flatMap { $0.job === self ? $0 : nil } }

  /// Takes over the handles of the older job; called under the lock.
  @usableFromInline
  func take(from older: LatestSubmission) {
    entry = older.entry
    entry!.replaced.append(older)
    entry!.newest = self
    entry!.job = self
  }

  /// Settles the jobs that it has replaced; called when it is settled and was not replaced itself.
  @_alwaysEmitIntoClient
  func settleReplaced() {
    observe { [self] in for older in takeReplaced() { older.settle(result!) } }
  }

  /// Not inlined: see ``Lock``.
  @usableFromInline
  func takeReplaced() -> [LatestSubmission] {
    line.locked { _ in
      guard let entry, entry.newest === self else { return [] }
      // Otherwise each handle would retain the newest job, which retains all others.
      entry.newest = nil
      for older in entry.replaced { older.isCancelled = isCancelled }
      defer { entry.replaced = [] }
      // Safe because jobs that replace each other have one type.
      return entry.replaced.map { unsafeDowncast($0, to: LatestSubmission.self) }
    }
  }
}

extension KeyedLine {
  /// Takes the place of an older, equal job that has not begun, or a new place; with a pause, waits for a newer job.
  ///
  /// The older job must touch the same keys and return the same type, and no conflicting job may have arrived in between.
  @_alwaysEmitIntoClient
  package func submitLatest<Success: Sendable>(
    _ latest: Key, touching touched: Touched<Key>, pause: DraftPause?, name: String?, priority: TaskPriority?,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let submission = LatestSubmission<Success>(line: self, name: name, priority: TaskPriority.ofTask(priority))
    let key = StableKey(latest)
    let now = clock.now
    submission.start = WaitStart(at: now)
    var (due, effects) = (nil as Duration?, Effects())
    let (arrival, older) = locked { state -> (Arrival, LatestSubmission<Success>?) in
      if !state.isClosed, let job = keys.latest[key]?.job, state.isNewest(job),
        let older = job as? LatestSubmission<Success>, touches(exactly: touched, older)
      {
        submission.take(from: older)
        let arrival = state.replace(older, by: submission, &effects)
        state.hold(submission, pause, at: now, &effects)
        due = submission.entry!.due
        return (arrival, older)
      }
      keys.made += 1
      let own = key.numbered(keys.made)
      // Safe because the table belongs to the line, which the job retains.
      let entry = LatestEntry { [unowned(unsafe) keys] in keys.forget($0, own) }
      submission.entry = entry
      submission.kind = .replaceable
      entry.job = submission
      keys.prepare(submission, touching: touched, &state)
      if let pause { submission.become(draftAt: now, pause) }
      let arrival = state.arrive(submission, &effects)
      if case .rejected = arrival {
        entry.job = nil
        return (arrival, nil)
      }
      due = entry.due
      // Not the key of the older job, which may be released with that job.
      if let index = keys.latest.index(forKey: key) { keys.latest.remove(at: index).value.isListed = false }
      keys.latest[own] = entry
      entry.isListed = true
      return (arrival, nil)
    }
    if let older {
      report(.replaced, of: older, keys: submission)
      submission.settleReplaced()
    }
    if let due { setTimer(of: submission.entry!, at: due) }
    start(submission, arrival, priority: priority, isDraft: due != nil, job)
    effects.carryOut(on: self)
    return SubmittedJob(submission)
  }

  @_alwaysEmitIntoClient
  func touches(exactly touched: Touched<Key>, _ job: Job) -> Bool {
    let queues = existingQueues(touched)
    return queues.count == touched.count && job.touches(only: queues)
  }
}

extension Line {
  /// Reports an event of a job that has lost its place and had touched these keys.
  @usableFromInline
  final func report(_ kind: TaskEvent.Kind, of job: Job, keys newer: Job) {
    guard reports else { return }
    let start = locked { _ in job.start }
    report(kind, keys: keys(of: newer), job.name, job.place, waitingSince: start)
  }
}

extension Job {
  /// Returns whether the job has a place in each of these distinct queues, and in no other.
  @usableFromInline
  package final func touches(only queues: [JobQueue]) -> Bool {
    var (count, agrees) = (0, true)
    forEachClaim { claim in
      count += 1
      if !queues.contains(where: { $0 === claim.queue }) { agrees = false }
    }
    return agrees && count == queues.count
  }

  @usableFromInline
  final func become(draftAt now: Duration, _ pause: DraftPause) {
    notes.insert(.isDraft)
    latest!.hold(pause, at: now)
  }
}
