// MARK: - Waiting for a limited time

extension SerialTaskExecutor {
  /// Runs the job when its turn has come, unless that takes longer than the limit.
  ///
  /// A job that has not begun when the limit has passed never runs: the call leaves its place as if it were cancelled, and is
  /// rejected with ``JobRejection/late``. A job that has begun is not limited. Like ``enqueue(name:_:)`` in every other respect, but that
  /// a call that ends by itself is never rejected as a deadlock: a job that waits so for its own turn is late.
  ///
  /// There is no timer unless the call has to wait; then one sleeping task serves all limits of the executor.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; ``JobRejection/late`` if it had not begun in time; `CancellationError` if the task
  ///   was cancelled before the job began; otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func enqueue<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when its turn has come, unless that takes longer than the limit, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``enqueue(name:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func enqueue<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }
}
