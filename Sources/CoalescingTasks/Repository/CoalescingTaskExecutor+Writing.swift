// MARK: - Writing

extension CoalescingTaskExecutor {
  /// Runs the job when no other job runs, and returns its result.
  ///
  /// The job touches every key. To let reads and writes of other keys run at the same time, name its keys:
  /// ``write(touching:name:waitingAtMost:_:)``. The job runs in the calling task and the caller's isolation, with the
  /// caller's task-locals, priority and cancellation. The closure does not escape, need not be Sendable, and may return a
  /// value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place, which is taken before this call first suspends. The job starts when every earlier read and
  ///   write has ended; it waits for the operations of reads, not for their callers.
  /// - **Cancellation** of the calling task: *before* the call, *waiting*, or *granted* but not begun, the job never runs,
  ///   its place is given up, and this call throws `CancellationError`; *running*, the job sees `Task.isCancelled`.
  /// - **Isolation:** the caller's. On a free executor, there is no suspension and no hop.
  /// - **Reentrancy:** reads inside the job run at once, as part of it. Inside a read or a write of this executor that
  ///   touches a key, this call throws `JobRejection.deadlock(_:)`.
  /// - **Limit:** with `waitingAtMost`, a job that has not begun when the limit has passed never runs, and the call is
  ///   rejected with `JobRejection.late`. A running job is not limited. A call with a limit is never rejected as a
  ///   deadlock: if it waits for itself, it is late. Only a call that has to wait needs a timer, and one sleeping task
  ///   serves all of them.
  /// - **Complexity:** O(1) on a free executor, otherwise O(keys that jobs hold); O(jobs ahead) for each higher priority
  ///   with which a caller waits, or inside a job of another executor.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots.
  ///   - limit: How long the call may wait for its turn, on the executor's clock. With `.zero` or less, the job runs only
  ///     if it can begin at once. `nil` means no limit.
  ///   - job: The closure to run.
  /// - Returns: The job's result.
  /// - Throws: The job's error, unchanged; `CancellationError` if the task was cancelled before the job began; otherwise a
  ///   `JobRejection`.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedAs: JobRejection.untyped, job)
  }

  /// Runs the job when no other job runs, with typed errors.
  ///
  /// Like ``write(name:waitingAtMost:_:)``, but throws the job's error or what `rejectedAs` returns for a rejection,
  /// `JobRejection.cancelled` included.
  @_alwaysEmitIntoClient @inline(__always)
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    name: String? = nil, waitingAtMost limit: Duration? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(name: name, waitingAtMost: limit, rejectedAs: rejectedAs, job)
  }

  /// Takes a place for a write of every key and returns; the job runs when no other job runs.
  ///
  /// Every later read sees the write, except a read inside a job of this executor, which does not wait. Otherwise like
  /// `SerialTaskExecutor.submit(name:priority:_:)`.
  ///
  /// - Returns: A handle to wait for the job or to cancel it. If the job is rejected, the handle already has the error.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitWrite<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submit(name: name, priority: priority, job) { line.join($0) }
  }
}
