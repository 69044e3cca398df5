extension SerialTaskExecutor {
  /// Takes a place for the job and returns; the job runs when its turn has come.
  ///
  /// Equivalent to `Task { … }`, but for when it starts: the job runs in a task of its own that inherits task-locals,
  /// priority and the closure's actor context like `Task.init`. It never starts inside this call, also when the executor is
  /// free.
  ///
  /// - **Order:** by place, and the place is taken before this call returns; so two calls in a row run in that order.
  /// - **Cancellation:** through the handle or ``cancelAll()``. Like `Task.init` it does not ask whether the calling task is
  ///   cancelled.
  /// - **Isolation:** of the closure.
  /// - **Reentrancy:** a job may submit another to its own executor; it must not wait for it, and if it does, waiting
  ///   throws ``JobRejection/deadlock(_:)``.
  /// - **Complexity:** O(1).
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is the caller's. It changes nothing in the order.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public nonisolated func submit<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success, any Error> {
    line.submit(owner: nil, name: name, priority: priority, rejectedAs: nil, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Like ``submit(name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is the caller's. It changes nothing in the order.
  ///   - rejectedAs: Makes the error for a job that was turned away, and for a task that stopped waiting for it.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public nonisolated func submit<Success: Sendable, Failure: Error>(
    name: String? = nil, priority: TaskPriority? = nil,
    rejectedAs: @escaping @Sendable (JobRejection) -> Failure,
    @_inheritActorContext _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    line.submit(owner: nil, name: name, priority: priority, rejectedAs: rejectedAs, job)
  }
}

// MARK: - Without a task while it waits

extension SerialTaskExecutor {
  /// Takes a place for the job and returns; nothing of the caller is inherited, and the job has no task until its turn has come.
  ///
  /// To ``submit(name:priority:_:)`` what `Task.detached` is to `Task`: for queues that grow long. A submitted job waits in a
  /// task, which takes more than a kilobyte; a detached one is its closure and a few hundred bytes, and where one follows
  /// another, both run in one task. In every other respect (order, cancellation, rejection, handle, re-entrancy) it is like
  /// `submit`.
  ///
  /// - **Inherited:** nothing: no task-locals, not the caller's priority, not its actor. The closure runs where its own
  ///   isolation says.
  /// - **Tasks:** jobs without a name and of one priority may run one after the other in the same task. One that is cancelled
  ///   while it runs cancels only itself. If a job was raised, those that run after it in its task may still be.
  /// - **Complexity:** O(1).
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is `.medium`. It changes nothing in the order.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public nonisolated func submitDetached<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success, any Error> {
    line.submitDetached(owner: nil, name: name, priority: priority ?? .medium, rejectedAs: nil, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Like ``submitDetached(name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is `.medium`. It changes nothing in the order.
  ///   - rejectedAs: Makes the error for a job that was turned away, and for a task that stopped waiting for it.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public nonisolated func submitDetached<Success: Sendable, Failure: Error>(
    name: String? = nil, priority: TaskPriority? = nil,
    rejectedAs: @escaping @Sendable (JobRejection) -> Failure,
    _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    line.submitDetached(owner: nil, name: name, priority: priority ?? .medium, rejectedAs: rejectedAs, job)
  }
}
