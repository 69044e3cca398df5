extension KeyedSerialTaskExecutor {
  /// Runs the job when it has the turns of all its keys, and returns its result.
  ///
  /// The job takes its places on all keys in one step: such jobs never wait for each other in a cycle, in whatever
  /// order they name their keys.
  ///
  /// ```swift
  /// try await bank.enqueue(touching: [payer, payee]) {
  ///   try await store.move(amount, from: payer, to: payee)
  /// }
  /// ```
  ///
  /// Otherwise like ``enqueue(for:name:waitingAtMost:_:)``:
  ///
  /// - **Order:** by place among the jobs of each key. The job waits only for jobs with an earlier place on one of its
  ///   keys, and for calls made inside jobs.
  /// - **Cancellation** of the calling task: a *waiting* call gives up all its places at once, and jobs that waited
  ///   only for it begin.
  /// - **Reentrancy:** inside a job of one of the keys, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(keys of the job), however many keys and jobs there are. Inside another job, and for each
  ///   higher priority, O(jobs ahead).
  /// - **Keys:** duplicates count once. Without keys, the job waits only for the end of a pause and for a free slot.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(keys), kind: line.kindOfJobs, name: name, waitingAtMost: limit,
      rejectedBy: JobRejection.throwUntyped, job)
  }

  /// Runs the job like ``enqueue(touching:name:waitingAtMost:_:)``, but throws its error or what `rejectedAs` returns,
  /// also for ``JobRejection/cancelled``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: Touched(keys), kind: line.kindOfJobs, name: name, waitingAtMost: limit,
      rejectedBy: { (why) throws(Failure) in throw rejectedAs(why) }, job)
  }

  /// Takes a place on each of the keys and returns.
  ///
  /// Waits like ``enqueue(touching:name:waitingAtMost:_:)``; otherwise like ``submit(for:name:priority:_:)``.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submit<Success: Sendable>(
    touching keys: some Sequence<Key>, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let touched = Touched(keys)
    return line.submit(name: name, priority: priority, job) {
      line.join($0, touching: touched, kind: line.kindOfJobs)
    }
  }
}
