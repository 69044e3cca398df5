extension CoalescingTaskExecutor {
  /// Runs the job when no other job holds its keys, and returns its result.
  ///
  /// Name every key whose readers must see the write: a read of any other key may run during the job, and may still be
  /// joined. Naming a key needlessly makes other jobs wait.
  ///
  /// ```swift
  /// func save(_ note: Note) async throws {
  ///   try await notes.write(touching: [.note(note.id), .all]) { try await service.save(note) }
  /// }
  /// ```
  ///
  /// Otherwise like ``write(name:waitingAtMost:_:)``:
  ///
  /// - **Order:** the job waits only for jobs with an earlier place on one of its keys, and for calls made inside jobs.
  ///   Writes never wait for each other in a cycle.
  /// - **Cancellation** of the calling task: a *waiting* call gives up all its places at once, and jobs that waited
  ///   only for it begin.
  /// - **Reentrancy:** the table of ``CoalescingTaskExecutor`` says what calls inside a job do.
  /// - **Complexity:** O(keys of the job). Inside another job, and for each higher priority, O(jobs ahead).
  /// - **Keys:** duplicates count once. Without keys, the job waits only for jobs that touch every key, such as
  ///   ``write(name:waitingAtMost:_:)``, and for the end of a pause.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(keys), name: name, waitingAtMost: limit, rejectedBy: JobRejection.throwUntyped, job)
  }

  /// Runs the job like ``write(touching:name:waitingAtMost:_:)``, but throws its error or what `rejectedAs` returns,
  /// also for `JobRejection.cancelled`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: Touched(keys), name: name, waitingAtMost: limit,
      rejectedBy: { (why) throws(Failure) in throw rejectedAs(why) }, job)
  }

  /// Takes places for a write of some keys and returns; the job runs when no other job holds them.
  ///
  /// Otherwise like ``submitWrite(name:priority:_:)``; for the keys, see ``write(touching:name:waitingAtMost:_:)``.
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
  /// If a write with an equal `latest` is waiting, the new one runs *in its place*, and the older one never runs: its handles get
  /// the outcome of the new one. A running write is never replaced, and neither is a write without `latest`.
  ///
  /// ```swift
  /// // On each keystroke: the newest text is saved, in the first waiting save's place.
  /// notes.submitWrite(latest: .note(note.id), touching: [.note(note.id), .all]) {
  ///   try await service.save(note)
  /// }
  /// ```
  ///
  /// Only the newest earlier write is replaced, and only if both touch the same keys and return the same type, and no
  /// other conflicting write has come since (reads may have). Otherwise both run, in order.
  ///
  /// **A draft.** With a positive `after`, the write has its place, and begins when no newer one has arrived for that long on the
  /// executor's clock, or `atMost` after the first write of the series. The wait ends at once with one of these:
  ///
  /// - a conflicting job behind the draft, unless it is a draft too: no read misses the draft
  /// - `drain()`, `shutDown(within:)` or `close()`
  /// - a newer write without `after`
  /// - ``pauseAndWait()``, if the draft waits for nothing else
  ///
  /// When the wait of a draft ends, so do those of the drafts ahead of it on its keys. A draft waits once.
  ///
  /// **A write that fails** must not be submitted again with its old value: it would be the latest, and replace a newer
  /// one. Let the job read the value when it runs (article *Loading in SwiftUI*, *A draft that fails*).
  ///
  /// - **Order:** the place of the write that it replaces, or else the end. It is taken before this call returns.
  /// - **Cancellation:** through the handle, or ``cancelAll()``. Cancelling the handle of a replaced write has no
  ///   effect. Cancelling the replacement does not restore the older write.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job must not wait for the write if they touch a common key.
  /// - **Complexity:** O(keys of the job), and their number squared to replace an older write.
  ///
  /// Otherwise like ``submitWrite(touching:name:priority:_:)``.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitWrite<Success: Sendable>(
    latest: Key, touching keys: some Sequence<Key>, after: Duration? = nil, atMost: Duration? = nil,
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    reads.submitLatest(
      latest, touching: Touched(keys), pause: DraftPause(after: after, atMost: atMost), name: name, priority: priority,
      job)
  }
}
