// MARK: - Writes that say what they touch

extension CoalescingTaskExecutor {
  /// Runs the job when it is alone on the keys that it touches, and returns what it returns.
  ///
  /// Reads and writes of other keys run at the same time. Name every key whose reads must see what the job writes: a key that
  /// is left out may be read while the job runs, and a read of it that began before is still joined. A key too many makes
  /// others wait for nothing.
  ///
  /// ```swift
  /// func save(_ note: Note) async throws {
  ///   try await notes.write(touching: [.note(note.id), .all]) { try await service.save(note) }
  /// }
  /// ```
  ///
  /// - **Order:** by place. The places on all keys are taken in one step, before this call first suspends. The job waits for
  ///   the jobs with an earlier place that touch one of the keys, and for no others, so writes never wait for each other in a
  ///   circle. From inside a job, it goes before a write of every key that waits for that job.
  /// - **Cancellation** of the calling task: *before* the call, no place is taken; *waiting*, the call gives up all its places
  ///   at once, and jobs that waited only for it go on; *granted* but not begun, the turn is passed on. In these three cases
  ///   the job never runs, and this call throws `CancellationError`. *Running*, the job sees `Task.isCancelled`.
  /// - **Isolation:** the caller's. A free executor costs no suspension and no hop.
  /// - **Reentrancy:** inside the job, a read of one of its keys runs at once, as part of it. A read of another key runs at
  ///   once too, unless a write of that key is running. From inside a job that touches one of the keys, this call throws
  ///   ``JobRejection/deadlock(_:)``; from inside a job of other keys, it waits.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed never runs: the call leaves its
  ///   place as if it were cancelled, and is rejected with ``JobRejection/late``. A job that has begun is not limited. A call
  ///   with a limit is never rejected as a deadlock; if it waits for itself, it is late. There is no timer unless the call has
  ///   to wait; then one sleeping task serves all limits of the executor.
  /// - **Complexity:** O(keys of the job). From inside another job, and for each higher priority, O(jobs ahead).
  ///
  /// - Parameters:
  ///   - keys: The keys that the job touches. A key that is named twice counts once. With no keys, the job waits for no other
  ///     job, not for a ``write(name:waitingAtMost:_:)`` either; it waits only while the executor is paused.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once. `nil`, the default, means no limit.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(keys), name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when it is alone on the keys that it touches, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``write(touching:name:waitingAtMost:_:)`` in every other
  /// respect.
  ///
  /// - Parameters:
  ///   - keys: The keys that the job touches.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(touching: Touched(keys), name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }

  /// Takes a place for a write of some keys and returns; the job runs when it is alone on them.
  ///
  /// Every later read of one of the keys sees what the job writes, except one inside a job of this executor that has the key or
  /// goes before it. Like ``submitWrite(name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - keys: The keys that the job touches; see ``write(touching:name:waitingAtMost:_:)``.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitWrite<Success: Sendable>(
    touching keys: some Sequence<Key>, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let touched = Touched(keys)
    return line.submit(name: name, priority: priority, job) { line.join($0, touching: touched) }
  }
}

// MARK: - Only the newest

extension CoalescingTaskExecutor {
  /// Takes a place for a write that replaces an older one that has not begun.
  ///
  /// If a write with an equal `latest` waits, this one runs *in its place*, and the older one never runs. The handles of the
  /// older one get the outcome of this one. A write that has begun is not affected, and neither is one that was submitted
  /// without `latest`.
  ///
  /// ```swift
  /// // On each keystroke: the newest text is saved, in the first waiting save's place.
  /// notes.submitWrite(latest: .note(note.id), touching: [.note(note.id), .all]) {
  ///   try await service.save(note)
  /// }
  /// ```
  ///
  /// A write replaces only the newest one before it, and only if both touch the same keys and return the same type, and no
  /// other write that conflicts has come between them; reads may have. Otherwise both run, in the order in which they came.
  ///
  /// **A draft.** With `after`, the write has its place, and waits a little for a newer one: it begins when none has come for
  /// that long, and no later than `atMost` after the first of those that replaced each other. What needs the draft ends that
  /// wait at once: a job that conflicts and comes behind it, so a read never misses it; `drain()`, `shutDown(within:)` and
  /// `close()`; a newer write without `after`; and ``pauseAndWait()``, which lets a draft begin that waits for nothing else. A
  /// draft whose wait was ended does not wait for newer ones again. A draft with another `latest` is such a job too, if it touches
  /// a common key, such as that of a list of all. Events call it ``TaskEvent/Kind/drafted``.
  ///
  /// - **Order:** the place of the write that it replaces, or else the end. It is taken before this call returns.
  /// - **Cancellation:** through the handle, or ``cancelAll()``. Cancelling the handle of a write that was replaced has no
  ///   effect: neither does its replacement know of it, nor is the older write restored when the replacement is cancelled.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit such a write, but must not wait for it if they touch a common key.
  /// - **Complexity:** O(keys of the job), and the square of their number if it replaces an older write. One sleeping task
  ///   serves the drafts and the limits of the executor; a newer draft sets no timer of its own, unless it is due earlier.
  ///
  /// The older write is reported to `onEvent` as ``TaskEvent/Kind/replaced``.
  ///
  /// - Parameters:
  ///   - latest: Identifies the writes that replace each other.
  ///   - keys: The keys that the job touches; see ``write(touching:name:waitingAtMost:_:)``.
  ///   - after: How long to wait for a newer write, on the executor's clock. `nil`, the default, or `.zero` means not at all.
  ///   - atMost: How long such writes may wait, from the first one that the newest replaces. `nil` means no limit.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitWrite<Success: Sendable>(
    latest: Key, touching keys: some Sequence<Key>, after: Duration? = nil, atMost: Duration? = nil,
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submitLatest(
      latest, touching: Touched(keys), pause: DraftPause(after: after, atMost: atMost), name: name, priority: priority,
      job)
  }
}
