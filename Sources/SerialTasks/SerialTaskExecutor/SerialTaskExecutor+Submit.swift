extension SerialTaskExecutor {
  /// Takes a place for the job and returns; the job runs when its turn has come.
  ///
  /// Equivalent to `Task { … }`, except for when the job starts. It runs in a task of its own that inherits task-locals,
  /// priority and the closure's actor context, as with `Task.init`. It never starts inside this call, even if the executor
  /// is free.
  ///
  /// - **Order:** by place. The place is taken before this call returns, so two calls in a row run in that order.
  /// - **Cancellation:** through the handle or ``cancelAll()``. Like `Task.init`, this call does not check whether the
  ///   calling task is cancelled.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit another job to its own executor, but must not wait for it. If it does, waiting
  ///   throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1), and O(jobs ahead) for each higher priority with which a job waits.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means the caller's. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
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
  /// Takes a place for the job and returns; the job has no task until its turn has come.
  ///
  /// This method is to ``submit(name:priority:_:)`` what `Task.detached` is to `Task`. Use it for queues that grow long: a
  /// submitted job waits in a task, which takes more than a kilobyte; a detached job is its closure and a few hundred bytes,
  /// and where one detached job follows another, both run in one task. Order, cancellation, rejection, the handle and
  /// reentrancy, like everything else, are those of `submit`.
  ///
  /// - **Inherited:** nothing of the caller: no task-locals, not its priority, not its actor. The closure runs in its own
  ///   isolation.
  /// - **Tasks:** jobs with the same name, or none, and the same priority may run one after the other in the same task. A
  ///   job that is cancelled while it runs cancels only itself. If a job was raised, the jobs that run after it in its task may still be
  ///   raised.
  /// - **Complexity:** O(1), and O(jobs ahead) for each higher priority with which a job waits.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means `.medium`. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public nonisolated func submitDetached<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submitDetached(name: name, priority: priority ?? .medium, job) { line.join($0) }
  }
}
