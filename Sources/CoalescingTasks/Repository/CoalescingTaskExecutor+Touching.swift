// MARK: - Writes of named keys

extension CoalescingTaskExecutor {
  /// Runs the job when no other job holds its keys, and returns its result.
  ///
  /// Reads and writes of other keys run at the same time. Name every key whose readers must see the write. A read of a key
  /// that you omit may run during the job, and may still be joined. Naming a key needlessly makes other jobs wait.
  ///
  /// ```swift
  /// func save(_ note: Note) async throws {
  ///   try await notes.write(touching: [.note(note.id), .all]) { try await service.save(note) }
  /// }
  /// ```
  ///
  /// Otherwise like ``write(name:waitingAtMost:_:)``:
  ///
  /// - **Order:** by place. The places on all keys are taken in one step, before this call first suspends. The job waits
  ///   only for jobs with an earlier place on one of its keys, and for calls made inside jobs. Writes therefore never wait
  ///   for each other in a cycle.
  /// - **Cancellation** of the calling task: a *waiting* call gives up all its places at once, and jobs that waited only
  ///   for it begin.
  /// - **Reentrancy:** inside the job, a read of one of its keys runs at once, as part of the job. A read of another key
  ///   does too, unless a write of that key is running. Inside a job that touches one of the keys, this call throws
  ///   `JobRejection.deadlock(_:)`. Inside a job of other keys, it goes ahead of all jobs that have not begun, and waits
  ///   only for running jobs.
  /// - **Complexity:** O(keys of the job). Inside another job, and for each higher priority, O(jobs ahead).
  ///
  /// - Parameters:
  ///   - keys: The keys that the job touches; duplicates count once. Without keys, the job waits only for jobs that touch
  ///     every key, such as ``write(name:waitingAtMost:_:)``, and for the end of a pause.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn; see ``write(name:waitingAtMost:_:)``.
  ///   - job: The closure to run.
  /// - Returns: The job's result.
  /// - Throws: The job's error, unchanged; `CancellationError` if the task was cancelled before the job began; otherwise a
  ///   `JobRejection`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(keys), name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when no other job holds its keys, with typed errors.
  ///
  /// Like ``write(touching:name:waitingAtMost:_:)``, but throws the job's error or what `rejectedAs` returns for a
  /// rejection, `JobRejection.cancelled` included.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(touching: Touched(keys), name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }

  /// Takes places for a write of some keys and returns; the job runs when no other job holds them.
  ///
  /// Every later read of one of the keys sees the write, except a read inside a job of this executor, which goes ahead of
  /// all jobs that have not begun. Otherwise like ``submitWrite(name:priority:_:)``; for the keys, see
  /// ``write(touching:name:waitingAtMost:_:)``.
  ///
  /// - Returns: A handle to wait for the job or to cancel it. If the job is rejected, the handle already has the error.
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

// MARK: - Writes that replace older ones

extension CoalescingTaskExecutor {
  /// Takes a place for a write that replaces an older one that has not begun.
  ///
  /// If a write with an equal `latest` is waiting, the new one runs *in its place*, and the older one never runs: its
  /// handles get the outcome of the new one. A running write is never replaced, and neither is a write without `latest`.
  ///
  /// ```swift
  /// // On each keystroke: the newest text is saved, in the first waiting save's place.
  /// notes.submitWrite(latest: .note(note.id), touching: [.note(note.id), .all]) {
  ///   try await service.save(note)
  /// }
  /// ```
  ///
  /// Only the newest earlier write is replaced, and only if both touch the same keys and return the same type, and no other
  /// conflicting write has come since (reads may have). Otherwise both run, in order.
  ///
  /// **A draft.** With `after`, the write has its place, and waits for a newer one. It begins when none has arrived for
  /// that long, and no later than `atMost` after the first write of the series. The wait ends at once with one of these:
  ///
  /// - a conflicting job behind the draft, unless it is a draft too: no read misses the draft
  /// - `drain()`, `shutDown(within:)` or `close()`
  /// - a newer write without `after`
  /// - ``pauseAndWait()``, if the draft waits for nothing else
  ///
  /// When the wait of a draft ends, so do those of the drafts ahead of it on its keys. A draft waits once. Events report a
  /// draft as `TaskEvent.Kind.drafted`, and a replaced write as `TaskEvent.Kind.replaced`.
  ///
  /// **A write that fails** must not be submitted again with its old value: it would be the latest, and replace a newer
  /// one. Let the job read the value when it runs, and submit only another save (article *Loading in SwiftUI*, *A draft
  /// that fails*).
  ///
  /// - **Order:** the place of the write that it replaces, or else the end. It is taken before this call returns.
  /// - **Cancellation:** through the handle, or ``cancelAll()``. Cancelling the handle of a replaced write has no effect.
  ///   Cancelling the replacement does not restore the older write.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit such a write. It must not wait for the write if they touch a common key.
  /// - **Complexity:** O(keys of the job), and their number squared to replace an older write. One sleeping task serves the
  ///   drafts and the limits of the executor; a newer draft sets no timer unless it is due earlier.
  ///
  /// - Parameters:
  ///   - latest: Identifies the writes that replace each other.
  ///   - keys: The keys that the job touches; see ``write(touching:name:waitingAtMost:_:)``.
  ///   - after: How long to wait for a newer write, on the executor's clock. `nil`, the default, or `.zero` means not at
  ///     all.
  ///   - atMost: The longest wait, from the first write of the series. `nil` means no limit.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. If the job is rejected, the handle already has the error.
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
