extension Line {
  /// Settles a rejected job before it returns.
  @_alwaysEmitIntoClient
  final func submitDetached<Success: Sendable>(
    name: String?, priority: TaskPriority, _ job: sending @escaping @isolated(any) () async throws -> Success,
    join: (Submission) -> Arrival
  ) -> SubmittedJob<Success> {
    let submission = DetachedSubmission(line: self, name: name, priority: priority, job)
    receive(join(submission), ofDetached: submission)
    return SubmittedJob(submission)
  }

  @usableFromInline
  final func receive(_ arrival: Arrival, ofDetached job: Submission) {
    receive(arrival, of: job)
    if case .granted = arrival { start(job) }
  }
}
