/// A submitted job that takes the place of an older one with an equal key, and may give its own to a newer one.
///
/// ```
///   line:  … │ save 1 │ …        save 2 arrives        … │ save 2 │ …      save 1 gets the outcome of save 2
/// ```
///
/// Safe because every mutable property is reached only under the lock of the line until the job begins or is rejected, and then
/// only by what settles it.
@usableFromInline
package final class LatestSubmission<Success: Sendable, Failure: Error>: TaskSubmission<Success, Failure>,
  @unchecked Sendable
{
  /// Those of the same place, if it was replaced or has replaced another.
  @exclusivity(unchecked) @usableFromInline var chain: LatestChain<LatestSubmission>?

  @inlinable
  override init(
    line: Line, name: String?, priority: TaskPriority, rejectedAs failure: (@Sendable (JobRejection) -> Failure)?
  ) {
    super.init(line: line, name: name, priority: priority, rejectedAs: failure)
  }

  package override var current: Submission { line.read { chain?.newest ?? self } }

  /// Takes over what the older one has to settle; to be called under the lock.
  @usableFromInline
  func take(from older: LatestSubmission) {
    let chain = older.chain ?? LatestChain()
    chain.replaced.append(older)
    chain.newest = self
    (older.chain, self.chain) = (chain, chain)
  }

  /// Settles those that it has replaced when it is settled, unless it was replaced itself by then.
  @inlinable
  func settleReplaced() {
    observe { [self] in for older in takeReplaced() { older.settle(result!) } }
  }

  /// Not inlined, so that it is compiled with the lock; see ``Lock``.
  @usableFromInline
  func takeReplaced() -> [LatestSubmission] {
    line.read {
      guard let chain, chain.newest === self else { return [] }
      // Or each handle would keep the newest, and that all others.
      chain.newest = nil
      defer { chain.replaced = [] }
      return chain.replaced
    }
  }
}

/// Jobs of which each has taken the place of the one before.
///
/// Safe because it is reached only under the lock of the line.
@usableFromInline
final class LatestChain<Job: AnyObject>: @unchecked Sendable {
  /// The one that has the place; `nil` when it has been settled.
  @exclusivity(unchecked) var newest: Job?
  /// The others, the oldest first.
  @exclusivity(unchecked) var replaced: [Job] = []

  @usableFromInline init() {}
}

/// The entry of a waiting job among those that a newer one may replace.
///
/// Safe because it is reached only under the lock of the line.
@usableFromInline
package class LatestEntry: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline package final unowned(unsafe) var job: JobClaim?
  /// Until when the job waits for a newer one, if it is a draft.
  @exclusivity(unchecked) package final var due: Duration?
  /// When the first of the jobs came that replaced each other as drafts.
  @exclusivity(unchecked) final var firstCame = Duration.zero
  /// What ends that wait, or looks whether it is over, and when.
  @exclusivity(unchecked) final var timer: DraftTimer?
  @exclusivity(unchecked) final var timerEnds: Duration?

  @usableFromInline package init() {}

  /// The job begins, or has left: no newer one replaces it.
  @usableFromInline package func forget() {}
}

/// The entry of a job of a certain type, with its key; for its parameter see ``NamedQueue``.
///
/// Safe like ``LatestEntry``.
@usableFromInline
final class TypedLatestEntry<Key: Hashable & Sendable>: LatestEntry, @unchecked Sendable {
  @usableFromInline let key: StableKey<LatestKey<Key>>
  /// Safe because the table holds the entry, and an entry that was forgotten does not ask it.
  @usableFromInline unowned(unsafe) let table: KeyTable<Key>

  @inlinable
  init(_ key: StableKey<LatestKey<Key>>, in table: KeyTable<Key>) {
    self.key = key
    self.table = table
    super.init()
  }

  @usableFromInline
  package override func forget() {
    // Only an entry in the table has a job. Its instance of the key is that of the table, and is released after the unlock.
    guard job.take() != nil, let index = table.latest.index(of: self, for: key) else { return }
    table.latest.remove(at: index)
    table.latest.shrinkIfSparse()
  }
}

/// What makes two submitted jobs replace each other: the key, and the types of what they return and throw.
@usableFromInline
struct LatestKey<Key: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline let key: Key
  @usableFromInline let value: ObjectIdentifier
  @usableFromInline let failure: ObjectIdentifier

  @inlinable
  init<Value, Failure: Error>(_ key: Key, _: Value.Type, _: Failure.Type) {
    self.key = key
    value = ObjectIdentifier(Value.self)
    failure = ObjectIdentifier(Failure.self)
  }
}

extension KeyedLine {
  /// Takes a place for the newest of equal jobs: that of an older one, if it has not begun and touches the same keys.
  ///
  /// With a pause, it waits for a newer one first.
  @inlinable
  func submitLatest<Success: Sendable, Failure: Error>(
    _ latest: Key, touching touched: Touched<Key>, pause: DraftPause?, name: String?, priority: TaskPriority?,
    rejectedAs: (@Sendable (JobRejection) -> Failure)?,
    _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    let submission = LatestSubmission<Success, Failure>(
      line: self, name: name, priority: TaskPriority.ofTask(priority), rejectedAs: rejectedAs)
    let key = StableKey(LatestKey(latest, Success.self, Failure.self))
    let now = pause == nil ? Duration.zero : clock.now
    var timer: (draft: JobClaim, after: Duration)?
    let (arrival, older, effects) = state.withLock { table -> (Arrival, LatestSubmission<Success, Failure>?, Effects) in
      keys.settle(touched, &table)
      if !table.isClosed, let job = keys.latest[key]?.job, touches(exactly: touched, job) {
        // Safe because these are the types of the job.
        let older = unsafeDowncast(job.waiter, to: LatestSubmission<Success, Failure>.self)
        submission.take(from: older)
        var (arrival, effects) = table.replace(older, by: submission)
        if let wait = table.hold(job, pause, at: now, &effects) { timer = (job, wait) }
        return (arrival, older, effects)
      }
      keys.made += 1
      let entry = TypedLatestEntry(key.numbered(keys.made), in: keys)
      let job = JobClaim(
        in: table, submission, kind: [], touchesEveryKey: touched.touchesEveryKey,
        first: keys.claims(touched, isShared: false), latest: entry)
      let wait = pause.flatMap { entry.hold($0, at: now) }
      let arrival = table.join(job)
      if case .rejected = arrival { return (arrival, nil, Effects()) }
      if let wait { timer = (job, wait) }
      // Not the key of the older one, which may end with it.
      if let index = keys.latest.index(forKey: key) { keys.latest.remove(at: index).value.job = nil }
      keys.latest[entry.key] = entry
      return (arrival, nil, Effects())
    }
    if let older {
      report(.replaced, older)
      submission.settleReplaced()
    }
    start(submission, arrival, priority: priority, job)
    if let timer { setTimer(of: timer.draft, timer.after) }
    carryOut(effects)
    return SubmittedJob(submission)
  }

  /// Whether the job touches these keys and no others.
  @inlinable
  func touches(exactly touched: Touched<Key>, _ job: JobClaim) -> Bool {
    let queues = existingQueues(touched)
    return job.isShared != touched.touchesEveryKey && queues.count == touched.count && job.claims(only: queues)
  }
}
