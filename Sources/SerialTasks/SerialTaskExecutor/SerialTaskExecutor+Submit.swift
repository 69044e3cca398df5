extension SerialTaskExecutor {
  /// Takes a place for the job and returns a handle; the job runs when its turn comes.
  ///
  /// Equivalent to `Task { … }`, except for when the job starts: it runs in a new task that inherits task-locals,
  /// priority and the closure's actor context, and never starts inside this call. `name` is also that of the task, and
  /// `priority` does not affect the order. If the job is rejected, the handle already has the error.
  ///
  /// - **Order:** by place, which is taken before this call returns.
  /// - **Cancellation:** through the handle or ``cancelAll()``. As with `Task.init`, a cancelled calling task makes no
  ///   difference.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit another job to its own executor, but must not wait for it: waiting throws
  ///   ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1), plus O(jobs ahead) for each higher priority with which a job waits.
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
  /// Use it for queues that grow long: a submitted job waits in a task, which takes more than a kilobyte; a detached
  /// job takes its closure and a few hundred bytes. Otherwise like ``submit(name:priority:_:)``, as `Task.detached` is
  /// like `Task`:
  ///
  /// - **Inherited:** no task-locals, no priority (`nil` means `.medium`), no actor.
  /// - **Tasks:** jobs with the same name, or none, and the same priority may run one after another in one task.
  ///   Cancelling a running job cancels only that job. If a job was raised, later jobs in its task may still be raised.
  @discardableResult
  @_alwaysEmitIntoClient
  public nonisolated func submitDetached<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submitDetached(name: name, priority: priority ?? .medium, job) { line.join($0) }
  }
}
