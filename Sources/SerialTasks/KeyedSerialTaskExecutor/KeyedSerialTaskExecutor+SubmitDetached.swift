extension KeyedSerialTaskExecutor {
  /// Takes a place for the job and returns; the job has no task until its turn has come.
  ///
  /// This method is to ``submit(for:name:priority:_:)`` what ``SerialTaskExecutor/submitDetached(name:priority:_:)`` is to
  /// ``SerialTaskExecutor/submit(name:priority:_:)``. Like ``SerialTaskExecutor/submitDetached(name:priority:_:)`` in every
  /// other respect: nothing of the caller is inherited.
  ///
  /// - Parameters:
  ///   - key: The key that the job belongs to.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means `.medium`. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitDetached<Success: Sendable>(
    for key: Key, name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let touched = Touched(key)
    return line.submitDetached(name: name, priority: priority ?? .medium, job) {
      line.join($0, touching: touched, kind: line.kindOfJobs)
    }
  }
}
