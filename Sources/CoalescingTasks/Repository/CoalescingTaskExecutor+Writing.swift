extension CoalescingTaskExecutor {
  /// Runs the job when no other job runs, and returns its result.
  ///
  /// The job touches every key. To let reads and writes of other keys run at the same time, name its keys:
  /// ``write(touching:name:waitingAtMost:_:)``. Otherwise like `SerialTaskExecutor.enqueue(name:waitingAtMost:_:)`:
  ///
  /// - **Order:** the job starts when every earlier read and write has ended; it waits for the operations of reads, not
  ///   for their callers.
  /// - **Reentrancy:** reads inside the job run at once, as part of it. Inside a job that touches a key, this call
  ///   throws `JobRejection.deadlock(_:)`.
  /// - **Complexity:** O(1) on a free executor, otherwise O(keys that jobs hold); O(jobs ahead) for each higher
  ///   priority with which a caller waits, or inside a job of another executor.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedBy: JobRejection.throwUntyped, job)
  }

  /// Runs the job like ``write(name:waitingAtMost:_:)``, but throws its error or what `rejectedAs` returns, also for
  /// `JobRejection.cancelled`.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      name: name, waitingAtMost: limit, rejectedBy: { (why) throws(Failure) in throw rejectedAs(why) }, job)
  }

  /// Takes a place for a write of every key and returns; the job runs when no other job runs.
  ///
  /// Every later read sees the write, except a read inside a job of this executor, which does not wait. Otherwise like
  /// `SerialTaskExecutor.submit(name:priority:_:)`.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitWrite<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submit(name: name, priority: priority, job) { line.join($0) }
  }
}
