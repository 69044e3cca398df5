// MARK: - Waiting for a limited time

extension CoalescingTaskExecutor {
  /// Returns what the operation returns, unless the read does not begin within the limit.
  ///
  /// A caller whose read has not begun when the limit has passed leaves as if it were cancelled, and is rejected with
  /// ``JobRejection/late``; the read goes on for its other callers. A read that has begun, or that was running when this call
  /// joined it, is not limited. Like ``read(_:name:priority:_:)`` in every other respect, but that a call that ends by itself is
  /// never rejected as a deadlock.
  ///
  /// There is no timer unless the call has to wait; then one sleeping task serves all limits of the executor.
  ///
  /// - Parameters:
  ///   - key: Identifies what is read. Two reads with equal keys must be the same read.
  ///   - name: The read's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this is the first call; `nil` means the caller's.
  ///   - limit: How long the call may wait for the read to begin, on the executor's clock. `.zero` or less means that the call is
  ///     rejected unless the read runs or can begin at once.
  ///   - operation: Performs the read, unless there is a read to join.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, to all its callers; ``JobRejection/late`` if the read had not begun in time;
  ///   `CancellationError` if the caller's task was cancelled; otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func read<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, waitingAtMost limit: Duration,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await read(
      key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: JobRejection.untyped, operation)
  }

  /// Returns what the operation returns, unless the read does not begin within the limit, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``read(_:name:priority:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: Identifies what is read. Two reads with equal keys must be the same read.
  ///   - name: The read's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this is the first call; `nil` means the caller's.
  ///   - limit: How long the call may wait for the read to begin, on the executor's clock. `.zero` or less means that the call is
  ///     rejected unless the read runs or can begin at once.
  ///   - rejectedAs: Returns the error for a rejected caller; called for ``JobRejection/cancelled`` as well.
  ///   - operation: Performs the read, unless there is a read to join.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, waitingAtMost limit: Duration,
    rejectedAs: (JobRejection) -> Failure,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await reads.read(
      key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: rejectedAs, operation)
  }

  /// Runs the job when every job ahead of it has ended, unless that takes longer than the limit.
  ///
  /// A job that has not begun when the limit has passed never runs: the call leaves its place as if it were cancelled, and is
  /// rejected with ``JobRejection/late``. A job that has begun is not limited. Like ``write(name:_:)`` in every other respect, but that
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
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: .everyKey, name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when every job ahead of it has ended, unless that takes longer than the limit, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``write(name:waitingAtMost:_:)`` in every other respect.
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
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: .everyKey, name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }

  /// Runs the job when every job ahead of it that touches one of the keys has ended, unless that takes longer than the limit.
  ///
  /// A job that has not begun when the limit has passed never runs: the call leaves its place as if it were cancelled, and is
  /// rejected with ``JobRejection/late``. A job that has begun is not limited. Like ``write(touching:name:_:)`` in every other respect, but that
  /// a call that ends by itself is never rejected as a deadlock: a job that waits so for its own turn is late.
  ///
  /// There is no timer unless the call has to wait; then one sleeping task serves all limits of the executor.
  ///
  /// - Parameters:
  ///   - keys: What the write touches.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; ``JobRejection/late`` if it had not begun in time; `CancellationError` if the task
  ///   was cancelled before the job began; otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration,
    _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(
      touching: Touched(keys), name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when every job ahead of it that touches one of the keys has ended, unless that takes longer than the limit, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``write(touching:name:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - keys: What the write touches.
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    touching keys: some Sequence<Key>, name: String? = nil, waitingAtMost limit: Duration,
    rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(
      touching: Touched(keys), name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }
}
