extension Line {
  @_alwaysEmitIntoClient @inline(__always)
  package final func submit<Success: Sendable>(
    name: String?, priority: TaskPriority?, _ job: sending @escaping @isolated(any) () async throws -> Success,
    join: (Submission) -> Arrival
  ) -> SubmittedJob<Success> {
    let submission = TypedSubmission<Success>(
      .submitted, line: self, name: name, priority: TaskPriority.ofTask(priority))
    start(submission, join(submission), priority: priority, job)
    return SubmittedJob(submission)
  }

  @_alwaysEmitIntoClient
  final func submitDetached<Success: Sendable>(
    name: String?, priority: TaskPriority, _ job: sending @escaping @isolated(any) () async throws -> Success,
    join: (Submission) -> Arrival
  ) -> SubmittedJob<Success> {
    let submission = DetachedSubmission(line: self, name: name, priority: priority, job)
    let arrival = join(submission)
    receive(arrival, of: submission)
    if case .granted = arrival { start(submission) }
    return SubmittedJob(submission)
  }

  @_alwaysEmitIntoClient
  package final func start<Success: Sendable>(
    _ submission: TypedSubmission<Success>, _ arrival: Arrival, priority: TaskPriority?, isOnHold: Bool = false,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) {
    receive(arrival, of: submission, isOnHold: isOnHold)
    if arrival.rejection != nil { return }
    // One that begins by waiting is started at once, where the system can: it need not be scheduled to park.
    attach(
      .starting(now: arrival.isWait, name: submission.name, priority: priority) { await submission.run(job) },
      to: submission)
  }
}

extension TaskPriority {
  /// Returns the priority of a task created with this argument: by default its creator's base priority.
  @_alwaysEmitIntoClient @inline(__always)
  package static func ofTask(_ priority: TaskPriority?) -> TaskPriority {
    priority ?? Task.basePriority ?? Task.currentPriority
  }
}
