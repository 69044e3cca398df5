extension KeyedSerialTaskExecutor {
  /// Takes a place for the job and returns; the job has no task until its turn comes.
  ///
  /// Like ``SerialTaskExecutor/submitDetached(name:priority:_:)``, for each key separately.
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
