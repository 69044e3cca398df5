extension Line {
  /// The way of one job into the line, to be run in a task of its own: the other half of
  /// ``perform(isolation:name:rejectedAs:_:)``.
  ///
  /// - Parameters:
  ///   - owner: Who is told when the job does not use the line any more.
  ///   - name: The job's name, and that of its task.
  ///   - priority: The priority of its task; `nil` is the caller's.
  ///   - rejectedAs: Makes the error for a job that was turned away; `nil` only where `Failure` is `any Error`.
  ///   - job: What to run.
  /// - Returns: The handle. A job that is turned away is settled when this returns.
  @inlinable
  func submit<Success: Sendable, Failure: Error>(
    owner: LineOwner?, name: String?, priority: TaskPriority?,
    rejectedAs: (@Sendable (JobRejection) -> Failure)?,
    _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) -> SubmittedJob<Success, Failure> {
    let submission = TypedSubmission<Success, Failure>(
      line: self, owner: owner, name: name,
      // A task that is made without a priority has the base priority of its maker, not the one it was raised to.
      priority: priority ?? Task.basePriority ?? Task.currentPriority, rejectedAs: rejectedAs)
    switch join(submission) {
    case .granted: attach(Task(name: name, priority: priority) { await submission.run(job) }, to: submission)
    case .waiting:
      // It begins by waiting: where the system can, it does so at once, which saves scheduling it only to park.
      attach(.starting(now: true, name: name, priority: priority) { await submission.run(job) }, to: submission)
    case .rejected: submission.leave()
    }
    return SubmittedJob(submission)
  }
}
