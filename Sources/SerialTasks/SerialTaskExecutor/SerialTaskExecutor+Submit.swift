extension SerialTaskExecutor {
  /// Takes a place for the job and returns; the job runs when its turn comes.
  ///
  /// Equivalent to `Task { … }`, except for when the job starts. It runs in a new task that inherits task-locals, priority
  /// and the closure's actor context. It never starts inside this call, even if the executor is free.
  ///
  /// - **Order:** by place, which is taken before this call returns: two calls in a row run in that order.
  /// - **Cancellation:** through the handle or ``cancelAll()``. As with `Task.init`, a cancelled calling task makes no
  ///   difference.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit another job to its own executor, but must not wait for it: waiting throws
  ///   ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1), plus O(jobs ahead) for each higher priority with which a job waits.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. If the job is rejected, the handle already has the error.
  @discardableResult
  @_alwaysEmitIntoClient
  public nonisolated func submit<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submit(name: name, priority: priority, job) { line.join($0) }
  }
}

// MARK: - Without a task while it waits

extension SerialTaskExecutor {
  /// Takes a place for the job and returns; the job has no task until its turn comes.
  ///
  /// Use it for queues that grow long: a submitted job waits in a task, which takes more than a kilobyte; a detached job
  /// takes its closure and a few hundred bytes. It relates to ``submit(name:priority:_:)`` as `Task.detached` does to
  /// `Task`, and is otherwise like it.
  ///
  /// - **Inherited:** nothing from the caller: no task-locals, no priority, no actor.
  /// - **Tasks:** jobs with the same name, or none, and the same priority may run one after another in one task. Cancelling
  ///   a running job cancels only that job. If a job was raised, later jobs in its task may still be raised.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means `.medium`. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. If the job is rejected, the handle already has the error.
  @discardableResult
  @_alwaysEmitIntoClient
  public nonisolated func submitDetached<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submitDetached(name: name, priority: priority ?? .medium, job) { line.join($0) }
  }
}
