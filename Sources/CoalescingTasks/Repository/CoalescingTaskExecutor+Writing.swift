// MARK: - Writing

extension CoalescingTaskExecutor {
  /// Runs the job alone when its turn has come, and returns what it returns.
  ///
  /// The job touches every key: no job that touches a key runs at the same time. If you can name the keys that it touches, use
  /// ``write(touching:name:waitingAtMost:_:)``: reads and writes of other keys then go on. Equivalent to calling the job
  /// directly, except for when it starts. The job runs in the calling task and in the caller's isolation, and sees the caller's
  /// task-locals, priority and cancellation. The closure does not escape, need not be Sendable, and may return a value that is
  /// neither Sendable nor copyable.
  ///
  /// - **Order:** by place. The place is taken before this call first suspends. The job starts when every read and write
  ///   before it has ended; it waits for the operations of reads, not for their callers.
  /// - **Cancellation** of the calling task, as with ``SerialTaskExecutor/enqueue(name:waitingAtMost:_:)``: *before* the call,
  ///   *waiting*, and *granted* but not begun, the job never runs and this call throws `CancellationError`; *running*, the job
  ///   sees `Task.isCancelled`.
  /// - **Isolation:** the caller's. A free executor costs no suspension and no hop.
  /// - **Reentrancy:** reads in the job run at once, as part of it. From inside a job of this executor that touches a key, a
  ///   read or a write, this call throws ``JobRejection/deadlock(_:)``.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed never runs: the call leaves its
  ///   place as if it were cancelled, and is rejected with ``JobRejection/late``. A job that has begun is not limited. A call
  ///   with a limit is never rejected as a deadlock; if it waits for itself, it is late. There is no timer unless the call has
  ///   to wait; then one sleeping task serves all limits of the executor.
  /// - **Complexity:** O(1) if the executor is free, and O(keys that jobs hold) otherwise; O(jobs ahead) for each higher
  ///   priority with which a caller waits, or from inside a job of another executor.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. `.zero` or less means that the job runs only
  ///     if it can begin at once. `nil`, the default, means no limit.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job alone when its turn has come, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Like ``write(name:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a rejected job; called for ``JobRejection/cancelled`` as well.
  ///   - job: The closure to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }

  /// Takes a place for a write of every key and returns; the job runs when its turn has come.
  ///
  /// Every later read sees what the job writes, except one inside a job of this executor, which does not wait. Like
  /// ``SerialTaskExecutor/submit(name:priority:_:)`` in every respect: the job runs in a task of its own that inherits like
  /// `Task.init`, it never starts inside this call, and it is cancelled through the handle or ``cancelAll()``.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitWrite<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submit(name: name, priority: priority, job) { line.join($0) }
  }
}
