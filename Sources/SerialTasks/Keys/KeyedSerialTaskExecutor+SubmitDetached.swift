extension KeyedSerialTaskExecutor {
  /// Takes a place for the job and returns; nothing of the caller is inherited, and the job has no task until its turn has come.
  ///
  /// To ``submit(for:name:priority:_:)`` what ``SerialTaskExecutor/submitDetached(name:priority:_:)`` is to
  /// ``SerialTaskExecutor/submit(name:priority:_:)``, and like it in every other respect.
  ///
  /// - Parameters:
  ///   - key: Whose job it is.
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is `.medium`. It changes nothing in the order.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public func submitDetached<Success: Sendable>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success, any Error> {
    lines.use(key).submitDetached(owner: lines, name: name, priority: priority ?? .medium, rejectedAs: nil, job)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Like ``submitDetached(for:name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: Whose job it is.
  ///   - name: What events and snapshots call the job, and the name of its task.
  ///   - priority: The priority of its task; `nil` is `.medium`. It changes nothing in the order.
  ///   - rejectedAs: Makes the error for a job that was turned away, and for a task that stopped waiting for it.
  ///   - job: What to run.
  /// - Returns: A handle, to wait for the job or to cancel it. A job that is turned away is settled when this returns.
  @discardableResult
  @inlinable
  public func submitDetached<Success: Sendable, Failure: Error>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    rejectedAs: @escaping @Sendable (JobRejection) -> Failure,
    _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    lines.use(key).submitDetached(
      owner: lines, name: name, priority: priority ?? .medium, rejectedAs: rejectedAs, job)
  }
}
