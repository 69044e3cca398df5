extension Line {
  /// Takes a place for a job with `join`, and makes a task for it that waits for the turn; a rejected job is settled when this returns.
  @_alwaysEmitIntoClient
  package final func submit<Success: Sendable>(
    name: String?, priority: TaskPriority?, _ job: sending @escaping @isolated(any) () async throws -> Success,
    join: (Submission) -> Arrival
  ) -> SubmittedJob<Success> {
    let submission = TypedSubmission<Success>(
      .submitted, line: self, name: name, priority: TaskPriority.ofTask(priority))
    start(submission, join(submission), priority: priority, job)
    return SubmittedJob(submission)
  }

  /// Makes the task of a job that has arrived.
  @_alwaysEmitIntoClient
  final func start<Success: Sendable>(
    _ submission: TypedSubmission<Success>, _ arrival: Arrival, priority: TaskPriority?, isDraft: Bool = false,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) {
    receive(arrival, of: submission, isDraft: isDraft)
    switch arrival {
    case .granted:
      attach(Task(name: submission.name, priority: priority) { await submission.run(job) }, to: submission)
    case .waiting:
      // It begins by waiting: where the system can, it does so at once, which saves scheduling it only to park.
      attach(
        .starting(now: true, name: submission.name, priority: priority) { await submission.run(job) }, to: submission)
    case .rejected: break
    }
  }
}

extension TaskPriority {
  /// Returns what a task begins with that is made with this priority: without one, the base priority of its maker, and not the
  /// one that was raised to.
  @_alwaysEmitIntoClient
  package static func ofTask(_ priority: TaskPriority?) -> TaskPriority {
    priority ?? Task.basePriority ?? Task.currentPriority
  }
}
