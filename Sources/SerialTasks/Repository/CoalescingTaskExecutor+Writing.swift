// MARK: - Writing

extension CoalescingTaskExecutor {
  /// Runs the job alone when its turn has come, and returns what it returns.
  ///
  /// Equivalent to calling the job directly, but for when it starts: it runs in the calling task and in the caller's
  /// isolation, and sees the caller's task-locals, priority and cancellation. The closure does not escape, need not be
  /// Sendable, and may return a value that is neither Sendable nor copyable.
  ///
  /// - **Order:** by place, and the place is taken before this call first suspends. It starts when every read and write before
  ///   it has ended; it waits for operations, and not for the callers of reads.
  /// - **Cancellation** of the calling task: as of ``SerialTaskExecutor/enqueue(name:_:)``. *Before* the call, *waiting* and
  ///   *granted* but not begun, the job never runs and `CancellationError` is thrown; *running*, it sees `Task.isCancelled`.
  /// - **Isolation:** the caller's. A free executor costs no suspension and no hop.
  /// - **Reentrancy:** reads in the job run at once, as a part of it; from inside a job of this executor, be it a read or a
  ///   write, this throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1).
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job.
  ///   - job: What to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged; `CancellationError` if the task was cancelled before the job began;
  ///   otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func write<Success: ~Copyable>(
    name: String? = nil, _ job: nonisolated(nonsending) () async throws -> Success
  ) async throws -> Success {
    try await line.perform(name: name, rejectedAs: JobRejection.untyped, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Like ``write(name:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job.
  ///   - rejectedAs: Makes the error for a job that was turned away, ``JobRejection/cancelled`` included.
  ///   - job: What to run.
  /// - Returns: What the job returned.
  /// - Throws: What the job throws, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func write<Success: ~Copyable, Failure: Error>(
    name: String? = nil, rejectedAs: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await line.perform(name: name, rejectedAs: rejectedAs, job)
  }

  /// Takes a place for a write and returns; the job runs when its turn has come.
  ///
  /// Every read that comes after this call sees what the job writes. Like
  /// ``SerialTaskExecutor/submit(name:priority:_:)`` in every respect: the job runs in a task of its own that inherits like
  /// `Task.init`, it never starts inside this call, and it is cancelled through the handle or ``cancelAll()``.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is the caller's. It changes nothing in the order.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public func submitWrite<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success, any Error> {
    line.submit(owner: nil, name: name, priority: priority, rejectedAs: nil, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Like ``submitWrite(name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is the caller's. It changes nothing in the order.
  ///   - rejectedAs: Makes the error for a job that was turned away, and for a task that stopped waiting for it.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public func submitWrite<Success: Sendable, Failure: Error>(
    name: String? = nil, priority: TaskPriority? = nil,
    rejectedAs: @escaping @Sendable (JobRejection) -> Failure,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    line.submit(owner: nil, name: name, priority: priority, rejectedAs: rejectedAs, job)
  }
}
